package learn

// gomoku is the course of Gomoku, for newcomers.
var gomoku = course{name: "gomoku", steps: []step{
	{name: "five",
		pages: []page{
			rulePages["gomoku"][0],
			{name: "gomoku.five.2", line: "gomoku f7 g8 h9 i10 | g7 h7 g9 i8", marks: "e6 j11"},
		},
		exercises: []exercise{
			{ask: askFive, line: "gomoku h8 i8 j8 k8 | g8 h9 i9 j10", right: "l8"},
			{ask: askFive, line: "gomoku g7 h8 i9 j10 | f6 h9 i8 j8", right: "k11"},
			{ask: askFive, line: "gomoku h6 h7 h9 h10 | g7 g8 i8 i9", right: "h8"},
		}},
	{name: "block",
		pages: []page{
			{name: "gomoku.block.1", line: "gomoku g6 h8 i9 h11 | h7 h6 h9 h10 k9"},
			{name: "gomoku.block.2", line: "gomoku h6 f7 g9 i5 | h7 h8 h9 h10", marks: "h11"},
		},
		exercises: []exercise{
			{ask: askBlock, line: "gomoku f7 h6 g9 j9 | h7 h8 h9 h10", right: "h11"},
			{ask: askBlock, line: "gomoku f7 h7 i9 k6 | g8 h9 i10 j11", right: "k12"},
			{ask: askBlock, line: "gomoku d8 g9 i7 j10 | e8 f8 g8 h8", right: "i8"},
		}},
	{name: "openfour",
		pages: []page{
			{name: "gomoku.openfour.1", line: "gomoku g8 h8 i8 j8 | g9 i10 k6", marks: "f8 k8"},
			{name: "gomoku.openfour.2", line: "gomoku h8 i8 j8 | g9 i10 k6", marks: "g8 k8"},
		},
		exercises: []exercise{
			{ask: askOpen, line: "gomoku h8 i8 j8 | g9 h10 k6", right: "g8 k8"},
			{ask: askOpen, line: "gomoku g7 h8 i9 | h9 g8 k8", right: "f6 j10"},
			{ask: askOpen, line: "gomoku e8 f8 h8 | g10 h6 j9", right: "g8"},
		}},
	{name: "openthree",
		pages: []page{
			rulePages["gomoku"][1],
			{name: "gomoku.openthree.2", line: "gomoku g8 h8 j8 | g9 i10 k6", marks: "i8"},
		},
		exercises: []exercise{
			{ask: askThree, line: "gomoku h8 i9 | g8 j8", right: "f6 g7 j10 k11"},
			{ask: askThree, line: "gomoku h8 h9 e5 | g9 i7 f8", right: "f6 h6 g7 h7 h10 h11"},
		}},
	{name: "guard",
		pages: []page{
			{name: "gomoku.guard.1", line: "gomoku f6 k9 h10 | h8 i8 j8", marks: "g8 k8"},
			{name: "gomoku.guard.2", line: "gomoku g9 j6 k10 | g8 h8 j8", marks: "f8 i8 k8"},
		},
		exercises: []exercise{
			{ask: askGuard, line: "gomoku f6 k10 h10 | h8 i8 j8", right: "g8 k8"},
			{ask: askGuard, line: "gomoku e9 k6 j7 | g7 h8 i9", right: "f6 j10"},
			{ask: askGuard, line: "gomoku e6 k10 f11 | h6 h8 h9", right: "h5 h7 h10"},
		}},
	{name: "gaps",
		pages: []page{
			{name: "gomoku.gaps.1", line: "gomoku f8 g8 h8 j8 | f9 g9 h9 i11", marks: "i8"},
			{name: "gomoku.gaps.2", line: "gomoku d6 i10 f10 j7 | f8 g8 i8 j8", marks: "h8"},
		},
		exercises: []exercise{
			{ask: askFive, line: "gomoku g9 h8 j6 k5 f10 | f11 g8 h7 j8 i9", right: "i7"},
			{ask: askBlock, line: "gomoku d6 i10 f10 j7 | f8 g8 i8 j8", right: "h8"},
			{ask: askGuard, line: "gomoku g9 j6 k10 | g8 h8 j8", right: "f8 i8 k8"},
		}},
	{name: "doublefour",
		pages: []page{
			{name: "gomoku.doublefour.1", line: "gomoku h8 i8 j8 k5 k6 k7 | g8 k4 d10 f12 c13 f4", marks: "k8"},
			{name: "gomoku.doublefour.2", line: "gomoku h8 i8 j8 k5 k6 k7 k8 | g8 k4 d10 f12 c13 f4", marks: "l8 k9"},
		},
		exercises: []exercise{
			{ask: askOpen, line: "gomoku h8 i8 j8 k5 k6 k7 | g8 k4 d10 d11 c13 f4", right: "k8"},
			{ask: askOpen, line: "gomoku g7 h8 i9 g10 h10 i10 | f6 f10 l7 l8 e13 k12", right: "j10"},
		}},
	{name: "fourthree",
		pages: []page{
			rulePages["gomoku"][2],
			{name: "gomoku.fourthree.2", line: "gomoku h8 i8 j8 k8 k9 k10 | g8 l8 d4 f6 j7 m11", marks: "k7 k11"},
		},
		exercises: []exercise{
			{ask: askTwice, line: "gomoku h8 i8 j8 k9 k10 | g8 d4 f6 j7 m11", right: "k8"},
			{ask: askTwice, line: "gomoku f6 g7 h8 g9 h9 | e5 k4 f10 h6 c11", right: "i9"},
		}},
	{name: "doublethree",
		pages: []page{
			{name: "gomoku.doublethree.1", line: "gomoku g8 h8 i9 i10 | g9 h9 f10 j7", marks: "i8"},
			{name: "gomoku.doublethree.2", line: "gomoku g8 h8 i8 i9 i10 f12 | g9 h9 f10 j7 i11"},
		},
		exercises: []exercise{
			{ask: askTwice, line: "gomoku g8 h8 i9 i10 | g9 h9 f10 j7", right: "i8"},
			{ask: askTwice, line: "gomoku f8 g8 h9 h10 | g10 i7 e6 j11", right: "h8"},
		}},
	{name: "force",
		pages: []page{
			{name: "gomoku.force.1", line: "gomoku j4 j5 j6 g7 h7 h8 m10 | j3 k7 c10 c11 c12 d12 e12", marks: "j7"},
			{name: "gomoku.force.2", line: "gomoku j4 j5 j6 j7 g7 h7 h8 m10 | j3 k7 j8 c10 c11 c12 d12 e12", marks: "i7"},
		},
		exercises: []exercise{
			{ask: askWin, line: "gomoku j4 j5 j6 g7 h7 h8 m10 | j3 k7 c10 c11 c12 d12 e12", right: "j7 j8 i7"},
			{ask: askWin, line: "gomoku e8 f8 g8 h5 h6 f9 c12 c14 | d8 h4 k11 l11 m11 m12 m13 d11", right: "h8 i8 h7 h9 i6"},
		}},
}}
