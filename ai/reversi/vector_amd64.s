#include "go_asm.h"
#include "textflag.h"

// How far apart the squares of the four rays are (rays in board.go), once, twice and four times.
DATA downSteps<>+0(SB)/8, $1
DATA downSteps<>+8(SB)/8, $8
DATA downSteps<>+16(SB)/8, $9
DATA downSteps<>+24(SB)/8, $7
DATA downSteps<>+32(SB)/8, $2
DATA downSteps<>+40(SB)/8, $16
DATA downSteps<>+48(SB)/8, $18
DATA downSteps<>+56(SB)/8, $14
DATA downSteps<>+64(SB)/8, $4
DATA downSteps<>+72(SB)/8, $32
DATA downSteps<>+80(SB)/8, $36
DATA downSteps<>+88(SB)/8, $28
GLOBL downSteps<>(SB), RODATA|NOPTR, $96

// FLIPS puts into AX the discs of O that P turns by a move. The rays of the move's square lie at
// RAYS. It is flips (board.go) for four directions at once, upwards in the same way. Downwards it
// fills each ray from the first square that holds no disc of O to the end: the squares above
// are the discs between.
#define FLIPS(P, O, RAYS) \
	VPBROADCASTQ P, Y0                       \
	VPBROADCASTQ O, Y1                       \
	VMOVDQU      0(RAYS), Y2                 \
	VMOVDQU      32(RAYS), Y3                \
	VPCMPEQD     Y15, Y15, Y15               \
	VPXOR        Y14, Y14, Y14               \
	VPXOR        Y15, Y2, Y4                 \ // up: (O | ^ray) + 1, of P, on the ray
	VPOR         Y1, Y4, Y4                  \
	VPSUBQ       Y15, Y4, Y4                 \
	VPAND        Y0, Y4, Y4                  \
	VPAND        Y2, Y4, Y4                  \
	VPCMPEQQ     Y14, Y4, Y5                 \ // less one where there is a disc of P
	VPADDQ       Y15, Y4, Y4                 \
	VPSUBQ       Y5, Y4, Y4                  \
	VPAND        Y2, Y4, Y4                  \
	VMOVDQU      downSteps<>+0(SB), Y8        \
	VPANDN       Y3, Y1, Y6                  \ // down: what is no disc of O
	VPSRLVQ      Y8, Y6, Y7                  \
	VPOR         Y7, Y6, Y6                  \
	VMOVDQU      downSteps<>+32(SB), Y9       \
	VPSRLVQ      Y9, Y6, Y7                  \
	VPOR         Y7, Y6, Y6                  \
	VMOVDQU      downSteps<>+64(SB), Y9       \
	VPSRLVQ      Y9, Y6, Y7                  \
	VPOR         Y7, Y6, Y6                  \
	VPSRLVQ      Y8, Y6, Y7                  \
	VPANDN       Y6, Y7, Y7                  \ // its highest square
	VPAND        Y3, Y7, Y7                  \
	VPAND        Y0, Y7, Y7                  \
	VPCMPEQQ     Y14, Y7, Y7                 \
	VPANDN       Y3, Y6, Y6                  \ // the squares above it
	VPANDN       Y6, Y7, Y7                  \
	VPOR         Y7, Y4, Y4                  \
	VEXTRACTI128 $1, Y4, X5                  \
	VPOR         X5, X4, X4                  \
	VPUNPCKHQDQ  X4, X4, X5                  \
	VPOR         X5, X4, X4                  \
	VMOVQ        X4, AX

// AFTER puts into Y0 to Y3 the features after a move on square X that turned the discs in AX:
// what features.play does. The indexing lies at T, the features before the move at FROM. AX, BX
// and X are changed.
#define AFTER(FROM, T, X, LOOP, DONE) \
	VPXOR Y0, Y0, Y0                         \
	VPXOR Y1, Y1, Y1                         \
	VPXOR Y2, Y2, Y2                         \
	VPXOR Y3, Y3, Y3                         \
	TESTQ AX, AX                             \
	JZ    DONE                               \
LOOP:                                        \
	BSFQ  AX, BX                             \
	SHLQ  $7, BX                             \
	VPADDQ 0(T)(BX*1), Y0, Y0                \
	VPADDQ 32(T)(BX*1), Y1, Y1               \
	VPADDQ 64(T)(BX*1), Y2, Y2               \
	VPADDQ 96(T)(BX*1), Y3, Y3               \
	LEAQ  -1(AX), BX                         \
	ANDQ  BX, AX                             \
	JNZ   LOOP                               \
DONE:                                        \
	SHLQ  $7, X                              \
	VPADDQ Y0, Y0, Y0                        \
	VPADDQ Y1, Y1, Y1                        \
	VPADDQ Y2, Y2, Y2                        \
	VPADDQ Y3, Y3, Y3                        \
	VPADDQ 0(T)(X*1), Y0, Y0                 \
	VPADDQ 32(T)(X*1), Y1, Y1                \
	VPADDQ 64(T)(X*1), Y2, Y2                \
	VPADDQ 96(T)(X*1), Y3, Y3                \
	VPADDQ 0(FROM), Y0, Y0                   \
	VPADDQ 32(FROM), Y1, Y1                  \
	VPADDQ 64(FROM), Y2, Y2                  \
	VPADDQ 96(FROM), Y3, Y3                  \
	VMOVDQU (indexing_swap+0)(T), Y4         \
	VMOVDQU (indexing_swap+32)(T), Y5        \
	VMOVDQU (indexing_swap+64)(T), Y6        \
	VMOVDQU (indexing_swap+96)(T), Y7        \
	VPSUBQ Y0, Y4, Y0                        \
	VPSUBQ Y1, Y5, Y1                        \
	VPSUBQ Y2, Y6, Y2                        \
	VPSUBQ Y3, Y7, Y3

// LOOK adds to SUM the weight of the image in lane K of the features at F, by table T of the stage
// at W.
#define LOOK(F, K, T, W, SUM) \
	MOVWLZX (2*(K))(F), AX                     \
	MOVWLSX (T*131072)(W)(AX*2), BX          \
	ADDL    BX, SUM

#define LOOK4(F, K, T, W) \
	LOOK(F, K, T, W, CX)                     \
	LOOK(F, K+1, T, W, DX)                   \
	LOOK(F, K+2, T, W, SI)                   \
	LOOK(F, K+3, T, W, DI)

// SUM puts into CX the sum of the weights of the features at F. Its tables are those of the
// patterns (pattern.go).
#define SUM(F, W) \
	XORL CX, CX                              \
	XORL DX, DX                              \
	XORL SI, SI                              \
	XORL DI, DI                              \
	LOOK4(F, 0, 0, W)                        \
	LOOK4(F, 4, 1, W)                        \
	LOOK4(F, 8, 1, W)                        \
	LOOK4(F, 12, 2, W)                       \
	LOOK4(F, 16, 3, W)                       \
	LOOK4(F, 20, 4, W)                       \
	LOOK4(F, 24, 4, W)                       \
	LOOK4(F, 28, 5, W)                       \
	LOOK4(F, 32, 6, W)                       \
	LOOK4(F, 36, 6, W)                       \
	LOOK4(F, 40, 6, W)                       \
	LOOK4(F, 44, 6, W)                       \
	LOOK4(F, 48, 6, W)                       \
	LOOK4(F, 52, 6, W)                       \
	LOOK4(F, 56, 6, W)                       \
	LOOK4(F, 60, 6, W)                       \
	ADDL DX, CX                              \
	ADDL DI, SI                              \
	ADDL SI, CX                              \
	MOVLQSX CX, CX

// func turnVector(f, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64)
TEXT ·turnVector(SB), NOSPLIT, $0-64
	MOVQ r+24(FP), R9
	FLIPS(p+40(FP), o+48(FP), R9)
	MOVQ AX, flipped+56(FP)
	MOVQ from+8(FP), R10
	MOVQ t+16(FP), R11
	MOVQ x+32(FP), R12
	AFTER(R10, R11, R12, turnLoop, turnDone)
	MOVQ f+0(FP), R8
	VMOVDQU Y0, 0(R8)
	VMOVDQU Y1, 32(R8)
	VMOVDQU Y2, 64(R8)
	VMOVDQU Y3, 96(R8)
	VZEROUPPER
	RET

// func leafVector(w *stage, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64, sum int)
TEXT ·leafVector(SB), NOSPLIT, $128-72
	MOVQ r+24(FP), R9
	FLIPS(p+40(FP), o+48(FP), R9)
	MOVQ AX, flipped+56(FP)
	MOVQ from+8(FP), R10
	MOVQ t+16(FP), R11
	MOVQ x+32(FP), R12
	AFTER(R10, R11, R12, leafLoop, leafDone)
	VMOVDQU Y0, 0(SP)
	VMOVDQU Y1, 32(SP)
	VMOVDQU Y2, 64(SP)
	VMOVDQU Y3, 96(SP)
	VZEROUPPER
	MOVQ w+0(FP), R8
	SUM(SP, R8)
	MOVQ CX, sum+64(FP)
	RET

// func sumVector(w *stage, f *features) int
TEXT ·sumVector(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), R8
	MOVQ f+8(FP), R9
	SUM(R9, R8)
	MOVQ CX, ret+16(FP)
	RET

// func fetch(b *bucket)
TEXT ·fetch(SB), NOSPLIT, $0-8
	MOVQ b+0(FP), AX
	PREFETCHT0 (AX)
	RET
