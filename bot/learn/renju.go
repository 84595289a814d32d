package learn

// renju is the course of Renju, for those who know Gomoku.
var renju = course{name: "renju", steps: []step{
	{name: "overline",
		pages: []page{
			rulePages["renju"][0],
			{name: "renju.overline.2", line: "renju h5 h6 h7 h9 h10 d5 | g6 i7 g9 i10 f8 d7"},
		},
		exercises: []exercise{
			{ask: askAllowed, line: "renju h5 h6 h7 h9 h10 d4 | g6 i7 g9 i10 f8 d6", about: "h8", right: "overline"},
			{ask: askAllowed, line: "renju h5 h6 h9 h10 h12 | g6 i7 g9 i10 f8", about: "h8", right: "allowed"},
		}},
	{name: "doublefour",
		pages: []page{
			rulePages["renju"][2],
			{name: "renju.doublefour.2", line: "renju f8 g8 h8 i9 i10 i7 | e8 g10 h6 i12 k9 f5"},
		},
		exercises: []exercise{
			{ask: askAllowed, line: "renju e8 f8 g8 h9 h10 h7 | d8 g10 i6 i12 k9 f5", about: "h8", right: "double-four"},
			{ask: askAllowed, line: "renju f8 g8 h8 i9 i10 | e8 g10 h6 i12 k9", about: "i8", right: "allowed"},
		}},
	{name: "doublethree",
		pages: []page{
			rulePages["renju"][1],
			{name: "renju.doublethree.2", line: "renju f6 g7 h9 h10 | c11 k6 g11 j10"},
		},
		exercises: []exercise{
			{ask: askAllowed, line: "renju g8 i8 h9 h10 | f5 k6 g11 j10", about: "h8", right: "double-three"},
			{ask: askAllowed, line: "renju f8 g8 h9 h10 | e8 k8 g11 j10", about: "h8", right: "allowed"},
		}},
	{name: "fivefirst",
		pages: []page{
			rulePages["renju"][3],
			{name: "renju.fivefirst.2", line: "renju e6 f7 g8 h9 i8 i7 h10 h11 | d5 k6 g11 j10 k9 e10 d10 l9", marks: "i10"},
		},
		exercises: []exercise{
			{ask: askFive, line: "renju d8 e8 f8 g8 h9 h10 h7 i6 | c8 k6 g11 j10 k9 e5 d10 l9", right: "h8"},
			{ask: askAllowed, line: "renju d8 e8 f8 g8 h9 h10 h7 h6 | c8 k6 g11 j10 k9 e5 d10 l9", about: "h8", right: "allowed"},
		}},
	{name: "falsethree",
		pages: []page{
			{name: "renju.falsethree.1", line: "renju f8 g8 h9 h10 | e8 k8 g11 j10", marks: "h8"},
			{name: "renju.falsethree.2", line: "renju e8 f8 g8 h9 h10 | d8 k6 g11 j10", marks: "h8"},
		},
		exercises: []exercise{
			{ask: askAllowed, line: "renju e8 f8 g8 h9 h10 | d8 k6 g11 j10", about: "h8", right: "allowed"},
			{ask: askAllowed, line: "renju f8 g8 h9 h10 | f5 k6 g11 j10", about: "h8", right: "double-three"},
		}},
	{name: "white",
		pages: []page{
			{name: "renju.white.1", line: "renju f5 g9 i6 j8 k10 d9 | h4 h5 h6 h8 h9", marks: "h7"},
			{name: "renju.white.2", line: "renju c3 k12 f10 m6 e5 | g8 h8 i9 i10", marks: "i8"},
		},
		exercises: []exercise{
			{ask: askFive, line: "renju f5 g10 i6 j9 k8 d9 | h4 h5 h6 h8 h9", right: "h7"},
			{ask: askTwice, line: "renju c3 k12 f11 m6 e5 | g8 h8 i9 i10", right: "i8"},
		}},
	{name: "trap",
		pages: []page{
			{name: "renju.trap.1", line: "renju d8 i9 i10 j9 k10 | e8 f8 g8 b3", marks: "h8"},
			{name: "renju.trap.2", line: "renju d8 i9 i10 j9 k10 | e8 f8 g8 h8 b3", marks: "i8"},
		},
		exercises: []exercise{
			{ask: askOpen, line: "renju h4 i9 i10 j9 j11 | h5 h6 h7 c2", right: "h8"},
			{ask: askOpen, line: "renju d8 i5 i6 i7 i9 i10 k3 | e8 f8 g8 b3 c12 m13", right: "h8"},
		}},
	{name: "force",
		pages: []page{
			{name: "renju.force.1", line: "renju h5 h6 h7 i8 j8 | h4 f10 e7 k6 l12", marks: "h8"},
			{name: "renju.force.2", line: "renju h5 h6 h7 h8 i8 j8 | h4 h9 f10 e7 k6 l12", marks: "g8 k8"},
		},
		exercises: []exercise{
			{ask: askTwice, line: "renju h5 h6 h7 i8 j8 | h4 f10 e6 k6 l11", right: "h8"},
			{ask: askTwice, line: "renju k5 j6 i7 f8 g8 | l4 e5 d10 h11 m9", right: "h8"},
		}},
}}
