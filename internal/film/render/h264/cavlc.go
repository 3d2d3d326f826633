// SPDX-License-Identifier: Apache-2.0

package h264

// code is a variable-length code: its length in bits, and its value.
type code struct{ bits, value uint8 }

// Tables of ITU-T H.264, 9.2. coeffTokens has a table for each range of nC (0 and 1, 2 and 3, 4 to 7, from 8), with the
// codes of 0 to 16 coefficients and 0 to 3 trailing ones.
var (
	coeffTokens = [4][17][4]code{
		{
			{{1, 1}},
			{{6, 5}, {2, 1}},
			{{8, 7}, {6, 4}, {3, 1}},
			{{9, 7}, {8, 6}, {7, 5}, {5, 3}},
			{{10, 7}, {9, 6}, {8, 5}, {6, 3}},
			{{11, 7}, {10, 6}, {9, 5}, {7, 4}},
			{{13, 15}, {11, 6}, {10, 5}, {8, 4}},
			{{13, 11}, {13, 14}, {11, 5}, {9, 4}},
			{{13, 8}, {13, 10}, {13, 13}, {10, 4}},
			{{14, 15}, {14, 14}, {13, 9}, {11, 4}},
			{{14, 11}, {14, 10}, {14, 13}, {13, 12}},
			{{15, 15}, {15, 14}, {14, 9}, {14, 12}},
			{{15, 11}, {15, 10}, {15, 13}, {14, 8}},
			{{16, 15}, {15, 1}, {15, 9}, {15, 12}},
			{{16, 11}, {16, 14}, {16, 13}, {15, 8}},
			{{16, 7}, {16, 10}, {16, 9}, {16, 12}},
			{{16, 4}, {16, 6}, {16, 5}, {16, 8}},
		},
		{
			{{2, 3}},
			{{6, 11}, {2, 2}},
			{{6, 7}, {5, 7}, {3, 3}},
			{{7, 7}, {6, 10}, {6, 9}, {4, 5}},
			{{8, 7}, {6, 6}, {6, 5}, {4, 4}},
			{{8, 4}, {7, 6}, {7, 5}, {5, 6}},
			{{9, 7}, {8, 6}, {8, 5}, {6, 8}},
			{{11, 15}, {9, 6}, {9, 5}, {6, 4}},
			{{11, 11}, {11, 14}, {11, 13}, {7, 4}},
			{{12, 15}, {11, 10}, {11, 9}, {9, 4}},
			{{12, 11}, {12, 14}, {12, 13}, {11, 12}},
			{{12, 8}, {12, 10}, {12, 9}, {11, 8}},
			{{13, 15}, {13, 14}, {13, 13}, {12, 12}},
			{{13, 11}, {13, 10}, {13, 9}, {13, 12}},
			{{13, 7}, {14, 11}, {13, 6}, {13, 8}},
			{{14, 9}, {14, 8}, {14, 10}, {13, 1}},
			{{14, 7}, {14, 6}, {14, 5}, {14, 4}},
		},
		{
			{{4, 15}},
			{{6, 15}, {4, 14}},
			{{6, 11}, {5, 15}, {4, 13}},
			{{6, 8}, {5, 12}, {5, 14}, {4, 12}},
			{{7, 15}, {5, 10}, {5, 11}, {4, 11}},
			{{7, 11}, {5, 8}, {5, 9}, {4, 10}},
			{{7, 9}, {6, 14}, {6, 13}, {4, 9}},
			{{7, 8}, {6, 10}, {6, 9}, {4, 8}},
			{{8, 15}, {7, 14}, {7, 13}, {5, 13}},
			{{8, 11}, {8, 14}, {7, 10}, {6, 12}},
			{{9, 15}, {8, 10}, {8, 13}, {7, 12}},
			{{9, 11}, {9, 14}, {8, 9}, {8, 12}},
			{{9, 8}, {9, 10}, {9, 13}, {8, 8}},
			{{10, 13}, {9, 7}, {9, 9}, {9, 12}},
			{{10, 9}, {10, 12}, {10, 11}, {10, 10}},
			{{10, 5}, {10, 8}, {10, 7}, {10, 6}},
			{{10, 1}, {10, 4}, {10, 3}, {10, 2}},
		},
		fixedTokens(),
	}
	chromaTokens = [5][4]code{{{2, 1}}, {{6, 7}, {1, 1}}, {{6, 4}, {6, 6}, {3, 1}}, {{6, 3}, {7, 3}, {7, 2}, {6, 5}}, {{6, 2}, {8, 3}, {8, 2}, {7, 0}}}
	// totalZeros has the codes of the number of zeros before the last coefficient, for 1 to 15 coefficients.
	totalZeros = [15][]code{
		{{1, 1}, {3, 3}, {3, 2}, {4, 3}, {4, 2}, {5, 3}, {5, 2}, {6, 3}, {6, 2}, {7, 3}, {7, 2}, {8, 3}, {8, 2}, {9, 3}, {9, 2}, {9, 1}},
		{{3, 7}, {3, 6}, {3, 5}, {3, 4}, {3, 3}, {4, 5}, {4, 4}, {4, 3}, {4, 2}, {5, 3}, {5, 2}, {6, 3}, {6, 2}, {6, 1}, {6, 0}},
		{{4, 5}, {3, 7}, {3, 6}, {3, 5}, {4, 4}, {4, 3}, {3, 4}, {3, 3}, {4, 2}, {5, 3}, {5, 2}, {6, 1}, {5, 1}, {6, 0}},
		{{5, 3}, {3, 7}, {4, 5}, {4, 4}, {3, 6}, {3, 5}, {3, 4}, {4, 3}, {3, 3}, {4, 2}, {5, 2}, {5, 1}, {5, 0}},
		{{4, 5}, {4, 4}, {4, 3}, {3, 7}, {3, 6}, {3, 5}, {3, 4}, {3, 3}, {4, 2}, {5, 1}, {4, 1}, {5, 0}},
		{{6, 1}, {5, 1}, {3, 7}, {3, 6}, {3, 5}, {3, 4}, {3, 3}, {3, 2}, {4, 1}, {3, 1}, {6, 0}},
		{{6, 1}, {5, 1}, {3, 5}, {3, 4}, {3, 3}, {2, 3}, {3, 2}, {4, 1}, {3, 1}, {6, 0}},
		{{6, 1}, {4, 1}, {5, 1}, {3, 3}, {2, 3}, {2, 2}, {3, 2}, {3, 1}, {6, 0}},
		{{6, 1}, {6, 0}, {4, 1}, {2, 3}, {2, 2}, {3, 1}, {2, 1}, {5, 1}},
		{{5, 1}, {5, 0}, {3, 1}, {2, 3}, {2, 2}, {2, 1}, {4, 1}},
		{{4, 0}, {4, 1}, {3, 1}, {3, 2}, {1, 1}, {3, 3}},
		{{4, 0}, {4, 1}, {2, 1}, {1, 1}, {3, 1}},
		{{3, 0}, {3, 1}, {1, 1}, {2, 1}},
		{{2, 0}, {2, 1}, {1, 1}},
		{{1, 0}, {1, 1}},
	}
	chromaZeros = [3][]code{{{1, 1}, {2, 1}, {3, 1}, {3, 0}}, {{1, 1}, {2, 1}, {2, 0}}, {{1, 1}, {1, 0}}}
	// runs has the codes of the zeros before a coefficient, for 1 to 6 and for more remaining zeros.
	runs = [7][]code{
		{{1, 1}, {1, 0}},
		{{1, 1}, {2, 1}, {2, 0}},
		{{2, 3}, {2, 2}, {2, 1}, {2, 0}},
		{{2, 3}, {2, 2}, {2, 1}, {3, 1}, {3, 0}},
		{{2, 3}, {2, 2}, {3, 3}, {3, 2}, {3, 1}, {3, 0}},
		{{2, 3}, {3, 0}, {3, 1}, {3, 3}, {3, 2}, {3, 5}, {3, 4}},
		{{3, 7}, {3, 6}, {3, 5}, {3, 4}, {3, 3}, {3, 2}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}, {10, 1}, {11, 1}},
	}
)

// fixedTokens returns the codes of 6 bits for blocks whose neighbours have many coefficients.
func fixedTokens() (t [17][4]code) {
	t[0][0] = code{6, 3}
	for n := 1; n <= 16; n++ {
		for ones := 0; ones <= min(n, 3); ones++ {
			t[n][ones] = code{6, uint8(4*(n-1) + ones)}
		}
	}
	return t
}

// tokenTable returns the table for nC, the average number of coefficients of the neighbouring blocks.
func tokenTable(nC int) *[17][4]code {
	switch {
	case nC < 2:
		return &coeffTokens[0]
	case nC < 4:
		return &coeffTokens[1]
	case nC < 8:
		return &coeffTokens[2]
	}
	return &coeffTokens[3]
}

// block appends a block of 4x4 coefficients in scan order and returns the number of coefficients that are not 0.
func (w *bitWriter) block(levels []int16, nC int) int {
	return w.coefficients(levels, tokenTable(nC)[:], &totalZeros)
}

// chromaDC appends the 4 coefficients of a chroma plane in a macroblock.
func (w *bitWriter) chromaDC(levels []int16) {
	zeros := [15][]code{chromaZeros[0], chromaZeros[1], chromaZeros[2]}
	w.coefficients(levels, chromaTokens[:], &zeros)
}

func (w *bitWriter) coefficients(levels []int16, tokens [][4]code, zeros *[15][]code) int {
	var level [16]int32 // from the last coefficient to the first
	var run [16]int     // zeros before each
	n, last := 0, -1
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i] == 0 {
			continue
		}
		if n > 0 {
			run[n-1] = last - i - 1
		}
		level[n], last = int32(levels[i]), i
		n++
	}
	ones := 0
	for ones < min(n, 3) && (level[ones] == 1 || level[ones] == -1) {
		ones++
	}
	w.code(tokens[n][ones])
	if n == 0 {
		return 0
	}
	run[n-1] = last
	for _, l := range level[:ones] {
		w.u(1, uint32(l)>>31)
	}
	w.levels(level[ones:n], n > 10 && ones < 3, ones < 3)
	left := 0
	for _, r := range run[:n] {
		left += r
	}
	if n < len(levels) {
		w.code(zeros[n-1][left])
	}
	for _, r := range run[:n-1] {
		if left == 0 {
			break
		}
		w.code(runs[min(left, 7)-1][r])
		left -= r
	}
	return n
}

// levels appends coefficients that are not trailing ones. large means that there are many of them; above means that the
// first one is greater than 1.
func (w *bitWriter) levels(all []int32, large, above bool) {
	suffix := 0
	if large {
		suffix = 1
	}
	for i, l := range all {
		size := max(l, -l)
		v := uint32(2*size-2) + uint32(l)>>31
		if i == 0 && above {
			v -= 2
		}
		switch {
		case suffix == 0 && v < 14:
			w.u(int(v)+1, 1)
		case suffix == 0 && v < 30:
			w.u(15, 1)
			w.u(4, v-14)
		case suffix == 0:
			w.u(16, 1)
			w.u(12, v-30)
		case v < 15<<suffix:
			w.u(int(v>>suffix)+1, 1)
			w.u(suffix, v&(1<<suffix-1))
		default:
			w.u(16, 1)
			w.u(12, v-15<<suffix)
		}
		if suffix == 0 {
			suffix = 1
		}
		if size > 3<<(suffix-1) && suffix < 6 {
			suffix++
		}
	}
}

func (w *bitWriter) code(c code) { w.u(int(c.bits), uint32(c.value)) }
