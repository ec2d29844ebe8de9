// The matrix units of a device, f16 products and f32 sums, by the extension of Khronos (KHR) or of
// NVIDIA: what matrix.comp and pointwise_depthwise.comp share.  Matrices are TILE x TILE.  The
// shader has the extensions that the first lines of matrix.comp name.
#if KHR
#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB>
#define SUM      coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>
#define LOAD_BY_ROWS(m, from, at, pitch)                                                           \
    coopMatLoad(m, from, at, pitch, gl_CooperativeMatrixLayoutRowMajor)
#define LOAD_BY_COLUMNS(m, from, at, pitch)                                                        \
    coopMatLoad(m, from, at, pitch, gl_CooperativeMatrixLayoutColumnMajor)
#define STORE_BY_ROWS(m, to, at, pitch)                                                            \
    coopMatStore(m, to, at, pitch, gl_CooperativeMatrixLayoutRowMajor)
#define ADD_PRODUCT(a, b, sum) coopMatMulAdd(a, b, sum)
#else
#define MATRIX_A                            fcoopmatNV<16, gl_ScopeSubgroup, TILE, TILE>
#define MATRIX_B                            MATRIX_A
#define SUM                                 fcoopmatNV<32, gl_ScopeSubgroup, TILE, TILE>
#define LOAD_BY_ROWS(m, from, at, pitch)    coopMatLoadNV(m, from, at, pitch, false)
#define LOAD_BY_COLUMNS(m, from, at, pitch) coopMatLoadNV(m, from, at, pitch, true)
#define STORE_BY_ROWS(m, to, at, pitch)     coopMatStoreNV(m, to, at, pitch, false)
#define ADD_PRODUCT(a, b, sum)              coopMatMulAddNV(a, b, sum)
#endif

// Components 2 * i and 2 * i + 1 of a matrix.
#define SET_PAIR(m, i, word)                                                                       \
    {                                                                                              \
        const f16vec2 pair = unpackFloat2x16(word);                                                \
        m[2 * i] = pair.x;                                                                         \
        m[2 * i + 1] = pair.y;                                                                     \
    }
