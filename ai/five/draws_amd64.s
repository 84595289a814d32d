#include "go_asm.h"
#include "textflag.h"

// GATHER takes eight words of 32 bits from where AT says.
#define GATHER(AT, TO) \
	VPCMPEQD   Y7, Y7, Y7; \
	VPGATHERDD Y7, AT, TO

// PULL adds up what both classes say, for one class of the side to move.
#define PULL(I) \
	VPBROADCASTW (mood_mine+I*2)(DX), Y0; \
	VPADDW       Y1, Y0, Y0; \
	VPADDW       (I*32)(CX), Y0, Y0; \
	VMOVDQU      Y0, (draws_pull+I*32)(AX)

// func drawsVector(d *draws, moves *[256]scored, n int)
// It takes eight moves at a time, and gives up to seven behind the last some score as well.
TEXT ·drawsVector(SB), NOSPLIT, $0-24
	MOVQ         d+0(FP), AX
	MOVQ         draws_both(AX), CX
	MOVQ         draws_mood(AX), DX
	VMOVDQU      mood_theirs(DX), Y1
	PULL(0)
	PULL(1)
	PULL(2)
	PULL(3)
	PULL(4)
	PULL(5)
	PULL(6)
	PULL(7)
	PULL(8)
	PULL(9)
	PULL(10)

	// Where the tables are, the last moves added to those of distance.
	MOVQ         draws_cells(AX), R8
	MOVQ         draws_mine(AX), R9
	MOVQ         draws_theirs(AX), R10
	MOVQ         draws_far(AX), R11
	MOVL         draws_last(AX), BX
	LEAQ         (R11)(BX*2), R11
	MOVQ         (draws_far+8)(AX), R12
	MOVL         (draws_last+4)(AX), BX
	LEAQ         (R12)(BX*2), R12
	MOVQ         (draws_far+16)(AX), R13
	MOVL         (draws_last+8)(AX), BX
	LEAQ         (R13)(BX*2), R13
	MOVL         draws_me(AX), BX
	SHLL         $4, BX
	VMOVD        BX, X12
	XORL         $16, BX
	VMOVD        BX, X13
	MOVQ         draws_cont(AX), BX
	MOVQ         draws_plan(AX), DX
	MOVQ         draws_ever(AX), DI
	VPBROADCASTD draws_following(AX), Y14
	VPBROADCASTD draws_always(AX), Y15
	ADDQ         $draws_pull, AX
	MOVQ         moves+8(FP), SI
	MOVQ         n+16(FP), CX
	VPCMPEQD     Y7, Y7, Y7
	VPSRLD       $24, Y7, Y11 // 0xFF
	VPSRLD       $20, Y7, Y10 // 0xFFF
	VPSRLD       $28, Y7, Y9  // 0xF
	VPSLLD       $4, Y9, Y8   // 0xF0
next:
	VMOVDQU      (SI), Y0
	VSHUFPS      $0x88, 32(SI), Y0, Y0
	VPAND        Y11, Y0, Y0 // the points

	// The codes, and what they draw by themselves.
	GATHER(cell_code(R8)(Y0*8), Y1)
	VPSRLD       X12, Y1, Y2
	VPAND        Y10, Y2, Y2
	VPSRLD       X13, Y1, Y1
	VPAND        Y10, Y1, Y1
	GATHER((R9)(Y2*4), Y3)
	GATHER((R10)(Y1*4), Y4)
	VPSRAD       $18, Y3, Y5
	VPSLLD       $14, Y4, Y6
	VPSRAD       $18, Y6, Y6
	VPADDD       Y6, Y5, Y5 // the sum

	// The classes, and how the points lie to the last moves: words of 16 bits.
	VPAND        Y9, Y3, Y3
	VPSLLD       $4, Y3, Y3
	VPAND        Y9, Y4, Y4
	VPOR         Y4, Y3, Y3
	GATHER((AX)(Y3*2), Y2)
	VPAND        Y8, Y0, Y1
	VPADDD       Y0, Y1, Y1 // spread
	GATHER((R11)(Y1*2), Y3)
	VPADDW       Y3, Y2, Y2
	GATHER((R12)(Y1*2), Y3)
	VPADDW       Y3, Y2, Y2
	GATHER((R13)(Y1*2), Y3)
	VPADDW       Y3, Y2, Y2
	VPSLLD       $16, Y2, Y2
	VPSRAD       $16, Y2, Y2
	VPADDD       Y2, Y5, Y5

	// The histories.
	GATHER((BX)(Y0*2), Y2)
	GATHER((DX)(Y0*2), Y3)
	VPADDW       Y3, Y2, Y2
	VPSLLD       $16, Y2, Y2
	VPSRAD       $16, Y2, Y2
	VPMULLD      Y14, Y2, Y2
	GATHER((DI)(Y0*4), Y3)
	VPMULLD      Y15, Y3, Y3
	VPADDD       Y3, Y2, Y2
	VPSRAD       $12, Y2, Y2 // historyShift
	VPADDD       Y2, Y5, Y5

	VPUNPCKLDQ   Y5, Y0, Y1
	VPUNPCKHDQ   Y5, Y0, Y2
	VMOVDQU      Y1, (SI)
	VMOVDQU      Y2, 32(SI)
	ADDQ         $64, SI
	SUBQ         $8, CX
	JG           next
	VZEROUPPER
	RET
