// The matrix units of a device, f16 products and f32 sums, by the extension of Khronos (KHR) or of
// NVIDIA: what matrix.comp and pointwise_depthwise.comp share.  Matrices are TILE x TILE.  With
// BYTES products are those of i8, sums are integers, and the factors TILE x TILE_DEPTH and
// TILE_DEPTH x TILE.  The shader has the extensions that the first lines of matrix.comp name.
#if BYTES
#define ZERO 0
#else
#define ZERO 0.0
#endif
#if BYTES
#define MATRIX_A icoopmatNV<8, gl_ScopeSubgroup, TILE, TILE_DEPTH>
#define MATRIX_B icoopmatNV<8, gl_ScopeSubgroup, TILE_DEPTH, TILE>
#define SUM      icoopmatNV<32, gl_ScopeSubgroup, TILE, TILE>
#elif KHR
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
#define MATRIX_A fcoopmatNV<16, gl_ScopeSubgroup, TILE, TILE>
#define MATRIX_B MATRIX_A
#define SUM      fcoopmatNV<32, gl_ScopeSubgroup, TILE, TILE>
#endif
#if BYTES || !KHR
#define LOAD_BY_ROWS(m, from, at, pitch)    coopMatLoadNV(m, from, at, pitch, false)
#define LOAD_BY_COLUMNS(m, from, at, pitch) coopMatLoadNV(m, from, at, pitch, true)
#define STORE_BY_ROWS(m, to, at, pitch)     coopMatStoreNV(m, to, at, pitch, false)
#define ADD_PRODUCT(a, b, sum)              coopMatMulAddNV(a, b, sum)
#endif

// The components of a matrix that word i of an invocation's part holds.
#if BYTES
#define SET_WORD(m, i, word)                                                                       \
    {                                                                                              \
        const i8vec4 four = unpack8(int(word));                                                    \
        m[4 * i] = four.x;                                                                         \
        m[4 * i + 1] = four.y;                                                                     \
        m[4 * i + 2] = four.z;                                                                     \
        m[4 * i + 3] = four.w;                                                                     \
    }
#else
#define SET_WORD(m, i, word)                                                                       \
    {                                                                                              \
        const f16vec2 pair = unpackFloat2x16(word);                                                \
        m[2 * i] = pair.x;                                                                         \
        m[2 * i + 1] = pair.y;                                                                     \
    }
#endif
