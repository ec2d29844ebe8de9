/* Half a delegate: it exports one of the two functions that the plug-in ABI asks for, the second
 * one with MOCK_DESTROY. */
#define EXPORT __attribute__((visibility("default")))

#ifdef MOCK_DESTROY
EXPORT void tflite_plugin_destroy_delegate(void *delegate);

void tflite_plugin_destroy_delegate(void *delegate)
{
    (void)delegate;
}
#else
EXPORT void *tflite_plugin_create_delegate(void);

void *tflite_plugin_create_delegate(void)
{
    return 0;
}
#endif
