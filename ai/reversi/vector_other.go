//go:build !amd64

package reversi

// Only amd64 has vector instructions here: no others could be checked.
const vectors = false

func turnVector(f, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64) { return 0 }

func leafVector(w *stage, from *features, t *indexing, r *rays, x, p, o uint64) (flipped uint64, sum int) {
	return 0, 0
}

func sumVector(w *stage, f *features) int { return 0 }

func fetch(b *bucket) {}
