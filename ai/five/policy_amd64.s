#include "textflag.h"

// func gridVector(to *[16]int16, at *gridCell, own, other *[16]int16)
// It fills the grid's 15 rows of 15 cells, each from a row of own and one of other.
TEXT ·gridVector(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ at+8(FP), SI
	MOVQ own+16(FP), AX
	MOVQ other+24(FP), BX
	VPXOR Y15, Y15, Y15
	MOVQ $15, DX
row:
	MOVQ $15, CX
cell:
	MOVL    (SI), R8
	MOVL    4(SI), R9
	VMOVDQU (AX)(R8*1), Y0
	VPADDW  (BX)(R9*1), Y0, Y0
	VPMAXSW Y15, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $8, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     cell
	ADDQ    $(9*32), DI
	DECQ    DX
	JNZ     row
	VZEROUPPER
	RET

// TAP adds the two neighbours at AT cells to either side.
#define TAP(AT, T) \
	VMOVDQU   (AT*32)(R8), Y11; \
	VPADDW    (-AT*32)(R8), Y11, Y11; \
	VPMULHRSW T, Y11, Y11; \
	VPADDW    Y11, Y10, Y10

// func spokesVector(cells *[16]int16, list *lookout, n int, weight, line *[16]int16)
// weight is the candidate's own, by distance on straight lines, on slanting ones, and the output.
// number.
TEXT ·spokesVector(SB), NOSPLIT, $0-40
	MOVQ cells+0(FP), DI
	MOVQ list+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ weight+24(FP), AX
	MOVQ line+32(FP), BX
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
next:
	MOVL      (SI), R8
	MOVWLZX   4(SI), R9
	MOVWLZX   6(SI), R10
	MOVWLZX   8(SI), R11
	MOVWLZX   10(SI), R12
	ADDQ      DI, R8
	VPMULHRSW (R8), Y0, Y10
	VPADDW    (BX)(R9*1), Y10, Y10
	VPADDW    (BX)(R10*1), Y10, Y10
	VPADDW    (BX)(R11*1), Y10, Y10
	VPADDW    (BX)(R12*1), Y10, Y10
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
	VMOVD     X10, (SI)
	ADDQ      $12, SI
	DECQ      CX
	JNZ       next
	VZEROUPPER
	RET
