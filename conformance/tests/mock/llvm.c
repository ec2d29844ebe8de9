/* A library that exports a function of LLVM, as TensorFlow does. */

__attribute__((visibility("default"))) void
mock_write(void) __asm__("_ZN4llvm18raw_svector_ostream10write_implEPKcm");

void mock_write(void)
{
}
