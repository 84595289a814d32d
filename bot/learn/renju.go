package learn

// renju is the course of Renju, for those who know Gomoku.
var renju = newCourse("renju", `
overline
	renju.1
	renju.overline.2: renju h5 h6 h7 h9 h10 d5 | g6 i7 g9 i10 f8 d7
	ask allowed: renju h5 h6 h7 h9 h10 d4 | g6 i7 g9 i10 f8 d6; about h8; right overline
	ask allowed: renju h5 h6 h9 h10 h12 | g6 i7 g9 i10 f8; about h8; right allowed
doublefour
	renju.3
	renju.doublefour.2: renju f8 g8 h8 i9 i10 i7 | e8 g10 h6 i12 k9 f5
	ask allowed: renju e8 f8 g8 h9 h10 h7 | d8 g10 i6 i12 k9 f5; about h8; right double-four
	ask allowed: renju f8 g8 h8 i9 i10 | e8 g10 h6 i12 k9; about i8; right allowed
doublethree
	renju.2
	renju.doublethree.2: renju f6 g7 h9 h10 | c11 k6 g11 j10
	ask allowed: renju g8 i8 h9 h10 | f5 k6 g11 j10; about h8; right double-three
	ask allowed: renju f8 g8 h9 h10 | e8 k8 g11 j10; about h8; right allowed
fivefirst
	renju.4
	renju.fivefirst.2: renju e6 f7 g8 h9 i8 i7 h10 h11 | d5 k6 g11 j10 k9 e10 d10 l9; marks i10
	ask five: renju d8 e8 f8 g8 h9 h10 h7 i6 | c8 k6 g11 j10 k9 e5 d10 l9; right h8
	ask allowed: renju d8 e8 f8 g8 h9 h10 h7 h6 | c8 k6 g11 j10 k9 e5 d10 l9; about h8; right allowed
falsethree
	renju.falsethree.1: renju f8 g8 h9 h10 | e8 k8 g11 j10; marks h8
	renju.falsethree.2: renju e8 f8 g8 h9 h10 | d8 k6 g11 j10; marks h8
	ask allowed: renju e8 f8 g8 h9 h10 | d8 k6 g11 j10; about h8; right allowed
	ask allowed: renju f8 g8 h9 h10 | f5 k6 g11 j10; about h8; right double-three
white
	renju.white.1: renju f5 g9 i6 j8 k10 d9 | h4 h5 h6 h8 h9; marks h7
	renju.white.2: renju c3 k12 f10 m6 e5 | g8 h8 i9 i10; marks i8
	ask five: renju f5 g10 i6 j9 k8 d9 | h4 h5 h6 h8 h9; right h7
	ask twice: renju c3 k12 f11 m6 e5 | g8 h8 i9 i10; right i8
trap
	renju.trap.1: renju d8 i9 i10 j9 k10 | e8 f8 g8 b3; marks h8
	renju.trap.2: renju d8 i9 i10 j9 k10 | e8 f8 g8 h8 b3; marks i8
	ask open: renju h4 i9 i10 j9 j11 | h5 h6 h7 c2; right h8
	ask open: renju d8 i5 i6 i7 i9 i10 k3 | e8 f8 g8 b3 c12 m13; right h8
force
	renju.force.1: renju h5 h6 h7 i8 j8 | h4 f10 e7 k6 l12; marks h8
	renju.force.2: renju h5 h6 h7 h8 i8 j8 | h4 h9 f10 e7 k6 l12; marks g8 k8
	ask twice: renju h5 h6 h7 i8 j8 | h4 f10 e6 k6 l11; right h8
	ask twice: renju k5 j6 i7 f8 g8 | l4 e5 d10 h11 m9; right h8
`)
