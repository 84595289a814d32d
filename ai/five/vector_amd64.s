#include "textflag.h"

// UNTWO makes of words of two numbers the numbers: the high one of a word lacks one where the
// low one is negative.
#define UNTWO(X, T) \
	VPSRAD $31, X, T; \
	VPSLLQ $32, T, T; \
	VPSUBD T, X, X

// COARSER divides by 16, towards zero.
#define COARSER(X, T) \
	VPSRAD $31, X, T; \
	VPSRLD $28, T, T; \
	VPADDD T, X, X; \
	VPSRAD $4, X, X

// FIRST adds what input K gives the first layer, SECOND what unit I gives the second.
#define FIRST(K) \
	VPBROADCASTD (K*4)(SP), Y6; \
	VPMULLD      (K*64)(AX), Y6, Y7; \
	VPMULLD      (K*64+32)(AX), Y6, Y8; \
	VPADDD       Y7, Y4, Y4; \
	VPADDD       Y8, Y5, Y5

#define SECOND(I) \
	VPBROADCASTD (I*4)(SP), Y6; \
	VPMULLD      (1024+I*32)(AX), Y6, Y7; \
	VPADDD       Y7, Y3, Y3

// func layersVector(n *vectorLayers, bias *[8]uint64, now, before *[2]sums, me int, out *[8]int32)
TEXT ·layersVector(SB), NOSPLIT, $64-48
	MOVQ n+0(FP), AX
	MOVQ bias+8(FP), BX
	MOVQ now+16(FP), CX
	MOVQ before+24(FP), DX
	MOVQ me+32(FP), R8
	MOVQ out+40(FP), DI
	SHLQ $4, R8
	MOVQ R8, R9
	XORQ $16, R9

	// The inputs: the sums of the side to move and of the other, and their changes.
	VMOVDQU     (CX)(R8*1), X0
	VINSERTI128 $1, (CX)(R9*1), Y0, Y0
	VMOVDQU     (DX)(R8*1), X1
	VINSERTI128 $1, (DX)(R9*1), Y1, Y1
	VPSUBD      Y1, Y0, Y1
	COARSER(Y0, Y2)
	COARSER(Y1, Y2)
	VMOVDQU     Y0, (SP)
	VMOVDQU     Y1, 32(SP)

	// The first layer: 16 units.
	VMOVDQU (BX), Y4
	VMOVDQU 32(BX), Y5
	UNTWO(Y4, Y2)
	UNTWO(Y5, Y2)
	FIRST(0)
	FIRST(1)
	FIRST(2)
	FIRST(3)
	FIRST(4)
	FIRST(5)
	FIRST(6)
	FIRST(7)
	FIRST(8)
	FIRST(9)
	FIRST(10)
	FIRST(11)
	FIRST(12)
	FIRST(13)
	FIRST(14)
	FIRST(15)
	VPXOR   Y9, Y9, Y9
	VPMAXSD Y9, Y4, Y4
	VPMAXSD Y9, Y5, Y5
	VPSRLD  $8, Y4, Y4
	VPSRLD  $8, Y5, Y5
	VMOVDQU Y4, (SP)
	VMOVDQU Y5, 32(SP)

	// The second layer: 8 units.
	VMOVDQU 1536(AX), Y3
	SECOND(0)
	SECOND(1)
	SECOND(2)
	SECOND(3)
	SECOND(4)
	SECOND(5)
	SECOND(6)
	SECOND(7)
	SECOND(8)
	SECOND(9)
	SECOND(10)
	SECOND(11)
	SECOND(12)
	SECOND(13)
	SECOND(14)
	SECOND(15)
	VPMAXSD Y9, Y3, Y3
	VPSRLD  $8, Y3, Y3
	VMOVDQU Y3, (DI)
	VZEROUPPER
	RET

// func topVector(moves *scored, n int) int
// It takes four moves at a time, a score in the high half of each word. The last four may
// overlap those before.
TEXT ·topVector(SB), NOSPLIT, $0-24
	MOVQ moves+0(FP), AX
	MOVQ n+8(FP), CX
	SUBQ $4, CX // where the last four begin

	// The best score.
	VMOVDQU (AX)(CX*8), Y0
	XORQ    DX, DX
	JMP     most
more:
	VPMAXSD (AX)(DX*8), Y0, Y0
	ADDQ    $4, DX
most:
	CMPQ    DX, CX
	JLT     more
	VEXTRACTI128 $1, Y0, X1
	VPMAXSD X1, X0, X0
	VPSHUFD $0xEE, X0, X1
	VPMAXSD X1, X0, X0
	VPSHUFD $0x55, X0, X0
	VPBROADCASTD X0, Y0

	// The first move that has it.
	XORQ DX, DX
	JMP  find
next:
	ADDQ $4, DX
find:
	CMPQ DX, CX
	CMOVQGT CX, DX
	VPCMPEQD (AX)(DX*8), Y0, Y1
	VMOVMSKPD Y1, BX
	TESTL BX, BX
	JZ   next
	BSFL BX, BX
	ADDQ DX, BX
	MOVQ BX, ret+16(FP)
	VZEROUPPER
	RET

// func fetch(e *entry)
TEXT ·fetch(SB), NOSPLIT, $0-8
	MOVQ e+0(FP), AX
	PREFETCHT0 (AX)
	RET
