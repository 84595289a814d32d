#include "go_asm.h"
#include "textflag.h"

// LINE puts the stone into the line of direction D through the point, and gives the empty cells
// within reach their new patterns. R12 is where the next changed cell is kept as it was; it
// moves on only where the patterns differ, so that no branch has to be guessed. STEP is how far
// the cells of two neighbours lie apart, for each bit that their places in the line do: two.
#define LINE(D, STEP, WALK, DONE) \
	LEAQ    (D*place__size)(SI), AX;          \
	MOVBLZX place_line(AX), CX;               \
	MOVBLZX place_bit(AX), R13;               \
	MOVBLZX place_shift(AX), R14;             \
	ANDL    $31, CX;                          \
	LEAQ    (board_rows+D*256)(DI)(CX*8), CX; \
	MOVQ    stone+16(FP), BX;                 \
	SHLXQ   R13, BX, BX;                      \
	ORQ     (CX), BX;                         \
	MOVQ    BX, (CX);                         \
	MOVQ    BX, DX;                           \
	SHRQ    $1, DX;                           \
	ORQ     BX, DX;                           \
	NOTQ    DX;                               \
	MOVQ    window-8(SP), AX;                 \
	SHLXQ   R14, AX, AX;                      \
	ANDQ    AX, DX;                           \
	JZ      DONE;                             \
	IMUL3Q  $STEP, R13, R13;                  \
	MOVQ    here-16(SP), CX;                  \
	SUBQ    R13, CX;                          \
	MOVQ    reach-24(SP), R13;                \
	SHLXQ   R13, BX, BX;                      \
	MOVQ    BX, R9;                           \
	SHRQ    $2, R9;                           \
WALK: \
	TZCNTQ  DX, AX;                           \
	BLSRQ   DX, DX;                           \
	SHRXQ   AX, BX, R13;                      \
	SHRXQ   AX, R9, R14;                      \
	ANDQ    R10, R13;                         \
	ANDQ    R11, R14;                         \
	ORQ     R14, R13;                         \
	MOVBLZX (R8)(R13*1), R13;                 \
	MOVL    (R15)(R13*4), R13;                \
	IMUL3Q  $STEP, AX, AX;                    \
	ADDQ    CX, AX;                           \
	MOVQ    board_cells(DI)(AX*1), R14;       \
	SHLL    $(4*D), R13;                      \
	XORL    R14, R13;                         \
	ANDL    $(0x000F000F<<(4*D)), R13;        \
	MOVQ    R14, saved_cell(R12);             \
	XORL    R13, R14;                         \
	MOVL    R14, board_cells(DI)(AX*1);       \
	SHRQ    $3, AX;                           \
	MOVB    AX, saved_at(R12);                \
	LEAQ    saved__size(R12), R14;            \
	TESTL   R13, R13;                         \
	CMOVQNE R14, R12;                         \
	TESTQ   DX, DX;                           \
	JNZ     WALK;                             \
DONE:

// SAVED makes X the place in undo of the changed cell with that number.
#define SAVED(X) \
	LEAQ (X)(X*4), X;               \
	LEAQ board_undo(DI)(X*2), X

// func relineVector(b *board, p, stone uint64, moved *[40]uint8) int
TEXT ·relineVector(SB), NOSPLIT, $24-40
	MOVQ b+0(FP), DI
	MOVQ p+8(FP), AX
	MOVQ board_shape(DI), R8
	LEAQ (AX)(AX*4), SI
	LEAQ shape_at(R8)(SI*4), SI // the four places of the point
	SHLQ $3, AX
	MOVQ AX, here-16(SP) // from the first cell

	// The cells of a line on one side of a point, and on the other.
	MOVQ  shape_reach(R8), R9
	ADDQ  R9, R9
	MOVQ  R9, reach-24(SP)
	MOVQ  $1, R10
	SHLXQ R9, R10, R10
	SUBQ  $1, R10
	SHLXQ R9, R10, R11
	LEAQ  2(R9)(R9*1), BX
	MOVQ  $1, AX
	SHLXQ BX, AX, AX
	SUBQ  $1, AX
	MOVQ  $0x5555555555555555, BX
	ANDQ  BX, AX
	MOVQ  AX, window-8(SP)

	MOVLQSX board_undone(DI), R12
	SAVED(R12)
	MOVQ    shape_lines(R8), R8
	LEAQ    ·apart(SB), R15
	LINE(0, 4, walk0, done0)
	LINE(1, 64, walk1, done1)
	LINE(2, 68, walk2, done2)
	LINE(3, -60, walk3, done3)

	// The codes of the changed cells, from R12 to R13, and what they are worth.
	MOVQ    R12, R13
	MOVLQSX board_undone(DI), R12
	SAVED(R12)
	MOVQ    board_shape(DI), AX
	MOVQ    shape_worth(AX), R8
	MOVQ    (shape_worth+8)(AX), R9
	MOVQ    shape_codes(AX), R10
	MOVQ    (shape_codes+8)(AX), R15
	MOVQ    moved+24(FP), SI
	XORL    BX, BX
	VMOVDQU (board_state+state_sum)(DI), X0
	VMOVDQU (board_state+state_sum+16)(DI), X1
	CMPQ    R12, R13
	JAE     summed

next:
	MOVBLZX   saved_at(R12), AX
	LEAQ      board_cells(DI)(AX*8), AX
	MOVWLZX   (AX), CX
	MOVWLZX   2(AX), DX
	MOVWLZX   (R10)(CX*2), CX
	MOVWLZX   (R15)(DX*2), DX
	MOVW      CX, 4(AX)
	MOVW      DX, 6(AX)
	MOVWLZX   (saved_cell+4)(R12), R11
	MOVWLZX   (saved_cell+6)(R12), R14
	MOVL      CX, AX
	XORL      R11, AX
	ANDL      $0xFFF, CX
	ANDL      $0xFFF, R11
	VPMOVSXWD (R8)(CX*8), X2
	VPMOVSXWD (R8)(R11*8), X3
	MOVL      DX, CX
	XORL      R14, CX
	ORL       CX, AX
	ANDL      $0xFFF, DX
	ANDL      $0xFFF, R14
	VPADDD    X2, X0, X0
	VPSUBD    X3, X0, X0
	VPMOVSXWD (R9)(DX*8), X2
	VPMOVSXWD (R9)(R14*8), X3
	VPADDD    X2, X1, X1
	VPSUBD    X3, X1, X1
	MOVB      BX, (SI)
	LEAQ      1(SI), R14
	TESTL     $0xF000, AX
	CMOVQNE   R14, SI
	INCL      BX
	ADDQ      $saved__size, R12
	CMPQ      R12, R13
	JB        next

summed:
	VMOVDQU X0, (board_state+state_sum)(DI)
	VMOVDQU X1, (board_state+state_sum+16)(DI)
	ADDL    BX, board_undone(DI)
	SUBQ    moved+24(FP), SI
	MOVQ    SI, ret+32(FP)
	VZEROUPPER
	RET
