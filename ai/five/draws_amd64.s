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
	MOVQ         draws_far(AX), R11
	MOVL         draws_last(AX), BX
	LEAQ         (R11)(BX*2), R11
	MOVQ         (draws_far+8)(AX), R12
	MOVL         (draws_last+4)(AX), BX
	LEAQ         (R12)(BX*2), R12
	MOVQ         (draws_far+16)(AX), R13
	MOVL         (draws_last+8)(AX), BX
	LEAQ         (R13)(BX*2), R13
	MOVQ         draws_cont(AX), BX
	MOVQ         draws_plan(AX), DX
	MOVQ         draws_ever(AX), DI
	VPBROADCASTD draws_following(AX), Y14
	VPBROADCASTD draws_always(AX), Y15
	MOVQ         moves+8(FP), SI
	MOVQ         n+16(FP), CX

	// What the last moves and the histories say, for the rows from the first move's to the last's.
	MOVBLZX      (SI), R14
	ANDL         $0xF0, R14
	MOVBLZX      -8(SI)(CX*8), R15
row:
	VMOVDQU      (R11)(R14*4), Y0
	VPADDW       (R12)(R14*4), Y0, Y0
	VPADDW       (R13)(R14*4), Y0, Y0
	VMOVDQU      (BX)(R14*2), Y1
	VPADDW       (DX)(R14*2), Y1, Y1
	VPMOVSXWD    X1, Y2
	VEXTRACTI128 $1, Y1, X1
	VPMOVSXWD    X1, Y3
	VPMULLD      Y14, Y2, Y2
	VPMULLD      Y14, Y3, Y3
	VPMULLD      (DI)(R14*4), Y15, Y4
	VPMULLD      32(DI)(R14*4), Y15, Y5
	VPADDD       Y4, Y2, Y2
	VPADDD       Y5, Y3, Y3
	VPSRAD       $12, Y2, Y2 // historyShift
	VPSRAD       $12, Y3, Y3
	VPMOVSXWD    X0, Y4
	VEXTRACTI128 $1, Y0, X0
	VPMOVSXWD    X0, Y5
	VPADDD       Y4, Y2, Y2
	VPADDD       Y5, Y3, Y3
	VMOVDQU      Y2, draws_base(AX)(R14*4)
	VMOVDQU      Y3, (draws_base+32)(AX)(R14*4)
	ADDL         $16, R14
	CMPL         R14, R15
	JLS          row

	// What the codes and the classes say.
	MOVQ         draws_cells(AX), R8
	MOVQ         draws_mine(AX), R9
	MOVQ         draws_theirs(AX), R10
	MOVL         draws_me(AX), BX
	SHLL         $4, BX
	VMOVD        BX, X12
	XORL         $16, BX
	VMOVD        BX, X13
	LEAQ         draws_pull(AX), R11
	LEAQ         draws_base(AX), R12
	VPCMPEQD     Y7, Y7, Y7
	VPSRLD       $24, Y7, Y11 // 0xFF
	VPSRLD       $20, Y7, Y10 // 0xFFF
	VPSRLD       $28, Y7, Y9
	VPSLLD       $12, Y9, Y9  // 0xF000
next:
	VMOVDQU      (SI), Y0
	VSHUFPS      $0x88, 32(SI), Y0, Y0
	VPAND        Y11, Y0, Y0 // the points
	GATHER(cell_code(R8)(Y0*8), Y1)
	VPSRLD       X12, Y1, Y2 // of the side to move
	VPSRLD       X13, Y1, Y1 // of the other
	VPAND        Y9, Y2, Y3
	VPSRLD       $8, Y3, Y3
	VPAND        Y9, Y1, Y4
	VPSRLD       $12, Y4, Y4
	VPOR         Y4, Y3, Y3
	GATHER((R11)(Y3*2), Y4)
	VPAND        Y10, Y2, Y2
	GATHER((R9)(Y2*4), Y3)
	VPAND        Y10, Y1, Y1
	GATHER((R10)(Y1*4), Y2)
	GATHER((R12)(Y0*4), Y5)
	VPSLLD       $16, Y4, Y4
	VPSRAD       $16, Y4, Y4
	VPADDD       Y4, Y5, Y5
	VPSLLD       $16, Y3, Y3 // attack
	VPSRAD       $16, Y3, Y3
	VPADDD       Y3, Y5, Y5
	VPSRAD       $16, Y2, Y2 // defend
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
