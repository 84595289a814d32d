#include "textflag.h"

// func gridVector(to *[16]int16, cells *[256]cell, me int, own, other *[3876][16]int16)
// It fills the grid's 15 rows of 15 cells, each from a row of own and one of other.
TEXT ·gridVector(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ cells+8(FP), SI
	MOVQ me+16(FP), R10
	MOVQ own+24(FP), AX
	MOVQ other+32(FP), BX
	LEAQ 4(SI)(R10*2), SI // the codes of the side to move
	MOVQ $1, R11
	SUBQ R10, R11
	SUBQ R10, R11
	SHLQ $1, R11          // from there to those of the other
	VPXOR Y15, Y15, Y15
	MOVQ $15, DX
row:
	MOVQ $15, CX
cell:
	MOVWLZX (SI), R8
	MOVWLZX (SI)(R11*1), R9
	ANDL    $0xFFF, R8
	ANDL    $0xFFF, R9
	SHLL    $5, R8
	SHLL    $5, R9
	VMOVDQU (AX)(R8*1), Y0
	VPADDW  (BX)(R9*1), Y0, Y0
	VPMAXSW Y15, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $8, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     cell
	ADDQ    $8, SI
	ADDQ    $(9*32), DI
	DECQ    DX
	JNZ     row
	VZEROUPPER
	RET

// TAP adds the two neighbours at AT cells to either side.
#define TAP(AT, T) \
	VMOVDQU   (AT*32)(R9), Y11; \
	VPADDW    (-AT*32)(R9), Y11, Y11; \
	VPMULHRSW T, Y11, Y11; \
	VPADDW    Y11, Y10, Y10

// APART moves the four patterns of X apart, 16 bits from one to the next. PDEP would do it in one
// instruction, which takes some processors a hundred times as long as others.
#define APART(X, T) \
	MOVQ X, T; \
	SHLQ $24, T; \
	ORQ  T, X; \
	ANDQ R12, X; \
	MOVQ X, T; \
	SHLQ $12, T; \
	ORQ  T, X; \
	ANDQ R13, X

// LINE adds the vector of the lowest of the lines in R10 and takes it away.
#define LINE \
	MOVWLZX R10, R11; \
	SHRQ    $16, R10; \
	VPADDW  (BX)(R11*1), Y10, Y10

// func spokesVector(grid *[552][16]int16, moves []scored, cells *[256]cell, me int, weight *[10][16]int16, line *[256][16]int16, to *[256]int32)
// weight is the candidate's own, by distance on straight lines, on slanting ones, and the output.
TEXT ·spokesVector(SB), NOSPLIT, $0-72
	MOVQ grid+0(FP), DI
	MOVQ moves_base+8(FP), SI
	MOVQ moves_len+16(FP), CX
	MOVQ cells+32(FP), DX
	MOVQ me+40(FP), R8
	MOVQ weight+48(FP), AX
	MOVQ line+56(FP), BX
	MOVQ to+64(FP), R15
	VMOVDQU (AX), Y0
	VMOVDQU 32(AX), Y1
	VMOVDQU 64(AX), Y2
	VMOVDQU 96(AX), Y3
	VMOVDQU 128(AX), Y4
	VMOVDQU 160(AX), Y5
	VMOVDQU 192(AX), Y6
	VMOVDQU 224(AX), Y7
	VMOVDQU 256(AX), Y8
	VMOVDQU 288(AX), Y9
	VPXOR   Y15, Y15, Y15
	LEAQ (DX)(R8*2), AX // the lines of the side to move
	XORQ $1, R8
	LEAQ (DX)(R8*2), DX // those of the other
	MOVQ $0x000000FF000000FF, R12
	MOVQ $0x000F000F000F000F, R13
next:
	MOVBLZX   (SI), R8
	MOVL      R8, R9
	ANDL      $0xF0, R9
	SHRL      $1, R9
	ADDL      R8, R9 // the place on the grid, counted from the first point's
	SHLL      $5, R9
	LEAQ      (100*32)(DI)(R9*1), R9
	MOVWLZX   (AX)(R8*8), R10
	MOVWLZX   (DX)(R8*8), R11
	APART(R10, R8)
	APART(R11, R8)
	SHLQ      $9, R10
	SHLQ      $5, R11
	ORQ       R11, R10
	VPMULHRSW (R9), Y0, Y10
	LINE
	LINE
	LINE
	LINE
	TAP(1, Y1)
	TAP(2, Y2)
	TAP(3, Y3)
	TAP(4, Y4)
	TAP(24, Y1)
	TAP(48, Y2)
	TAP(72, Y3)
	TAP(96, Y4)
	TAP(25, Y5)
	TAP(50, Y6)
	TAP(75, Y7)
	TAP(100, Y8)
	TAP(23, Y5)
	TAP(46, Y6)
	TAP(69, Y7)
	TAP(92, Y8)
	VPMAXSW   Y15, Y10, Y10
	VPMADDWD  Y9, Y10, Y10
	VEXTRACTI128 $1, Y10, X11
	VPADDD    X11, X10, X10
	VPSHUFD   $0x4E, X10, X11
	VPADDD    X11, X10, X10
	VPSHUFD   $0xB1, X10, X11
	VPADDD    X11, X10, X10
	VMOVD     X10, (R15)
	ADDQ      $8, SI
	ADDQ      $4, R15
	DECQ      CX
	JNZ       next
	VZEROUPPER
	RET
