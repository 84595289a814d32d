package learn

// gomoku is the course of Gomoku, for newcomers.
var gomoku = newCourse("gomoku", `
five
	gomoku.1
	gomoku.five.2: gomoku f7 g8 h9 i10 | g7 h7 g9 i8; marks e6 j11
	ask five: gomoku h8 i8 j8 k8 | g8 h9 i9 j10; right l8
	ask five: gomoku g7 h8 i9 j10 | f6 h9 i8 j8; right k11
	ask five: gomoku h6 h7 h9 h10 | g7 g8 i8 i9; right h8
block
	gomoku.block.1: gomoku g6 h8 i9 h11 | h7 h6 h9 h10 k9
	gomoku.block.2: gomoku h6 f7 g9 i5 | h7 h8 h9 h10; marks h11
	ask block: gomoku f7 h6 g9 j9 | h7 h8 h9 h10; right h11
	ask block: gomoku f7 h7 i9 k6 | g8 h9 i10 j11; right k12
	ask block: gomoku d8 g9 i7 j10 | e8 f8 g8 h8; right i8
openfour
	gomoku.openfour.1: gomoku g8 h8 i8 j8 | g9 i10 k6; marks f8 k8
	gomoku.openfour.2: gomoku h8 i8 j8 | g9 i10 k6; marks g8 k8
	ask open: gomoku h8 i8 j8 | g9 h10 k6; right g8 k8
	ask open: gomoku g7 h8 i9 | h9 g8 k8; right f6 j10
	ask open: gomoku e8 f8 h8 | g10 h6 j9; right g8
openthree
	gomoku.2
	gomoku.openthree.2: gomoku g8 h8 j8 | g9 i10 k6; marks i8
	ask three: gomoku h8 i9 | g8 j8; right f6 g7 j10 k11
	ask three: gomoku h8 h9 e5 | g9 i7 f8; right f6 h6 g7 h7 h10 h11
guard
	gomoku.guard.1: gomoku f6 k9 h10 | h8 i8 j8; marks g8 k8
	gomoku.guard.2: gomoku g9 j6 k10 | g8 h8 j8; marks f8 i8 k8
	ask guard: gomoku f6 k10 h10 | h8 i8 j8; right g8 k8
	ask guard: gomoku e9 k6 j7 | g7 h8 i9; right f6 j10
	ask guard: gomoku e6 k10 f11 | h6 h8 h9; right h5 h7 h10
gaps
	gomoku.gaps.1: gomoku f8 g8 h8 j8 | f9 g9 h9 i11; marks i8
	gomoku.gaps.2: gomoku d6 i10 f10 j7 | f8 g8 i8 j8; marks h8
	ask five: gomoku g9 h8 j6 k5 f10 | f11 g8 h7 j8 i9; right i7
	ask block: gomoku d6 i10 f10 j7 | f8 g8 i8 j8; right h8
	ask guard: gomoku g9 j6 k10 | g8 h8 j8; right f8 i8 k8
doublefour
	gomoku.doublefour.1: gomoku h8 i8 j8 k5 k6 k7 | g8 k4 d10 f12 c13 f4; marks k8
	gomoku.doublefour.2: gomoku h8 i8 j8 k5 k6 k7 k8 | g8 k4 d10 f12 c13 f4; marks l8 k9
	ask open: gomoku h8 i8 j8 k5 k6 k7 | g8 k4 d10 d11 c13 f4; right k8
	ask open: gomoku g7 h8 i9 g10 h10 i10 | f6 f10 l7 l8 e13 k12; right j10
fourthree
	gomoku.3
	gomoku.fourthree.2: gomoku h8 i8 j8 k8 k9 k10 | g8 l8 d4 f6 j7 m11; marks k7 k11
	ask twice: gomoku h8 i8 j8 k9 k10 | g8 d4 f6 j7 m11; right k8
	ask twice: gomoku f6 g7 h8 g9 h9 | e5 k4 f10 h6 c11; right i9
doublethree
	gomoku.doublethree.1: gomoku g8 h8 i9 i10 | g9 h9 f10 j7; marks i8
	gomoku.doublethree.2: gomoku g8 h8 i8 i9 i10 f12 | g9 h9 f10 j7 i11
	ask twice: gomoku g8 h8 i9 i10 | g9 h9 f10 j7; right i8
	ask twice: gomoku f8 g8 h9 h10 | g10 i7 e6 j11; right h8
force
	gomoku.force.1: gomoku j4 j5 j6 g7 h7 h8 m10 | j3 k7 c10 c11 c12 d12 e12; marks j7
	gomoku.force.2: gomoku j4 j5 j6 j7 g7 h7 h8 m10 | j3 k7 j8 c10 c11 c12 d12 e12; marks i7
	ask win: gomoku j4 j5 j6 g7 h7 h8 m10 | j3 k7 c10 c11 c12 d12 e12; right j7 j8 i7
	ask win: gomoku e8 f8 g8 h5 h6 f9 c12 c14 | d8 h4 k11 l11 m11 m12 m13 d11; right h8 i8 h7 h9 i6
`)
