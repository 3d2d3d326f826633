// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShape means that a stream does not have the shape that this package supports. Such a stream may be valid, but it
// cannot be extended.
var ErrShape = errors.New("unsupported H.264 stream")

func shape(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrShape, fmt.Sprintf(format, args...))
}

const profileHigh = 100

// sps is the required part of a sequence parameter set.
type sps struct {
	id           uint32
	frameNumBits int
	// order, refs and reorder are where values begin and end, in bits: the type of the picture order count, the number of
	// reference pictures, and the two numbers of pictures that a decoder keeps. The last ones may be missing.
	order, refs, reorder [2]int
	// macroblocks is the number of macroblocks in a picture.
	macroblocks uint32
	// width and height are those of the displayed picture.
	width, height int
}

// parseSPS parses a sequence parameter set without emulation prevention, and rejects every other shape.
func parseSPS(raw []byte) (sps, error) {
	var s sps
	r := &bitReader{b: raw, pos: 8}
	profile := r.u(8)
	r.u(16) // constraint flags and level
	s.id = r.ue()
	if profile != profileHigh {
		return s, shape("profile %d instead of High", profile)
	}
	if chroma := r.ue(); chroma != 1 {
		return s, shape("chroma format %d instead of 4:2:0", chroma)
	}
	if luma, chroma := r.ue(), r.ue(); luma != 0 || chroma != 0 {
		return s, shape("bit depth above 8")
	}
	if bypass, scaling := r.flag(), r.flag(); bypass || scaling {
		return s, shape("lossless coding or custom scaling lists")
	}
	s.frameNumBits = int(r.ue()) + 4
	s.order[0] = r.pos
	if order := r.ue(); order != 2 {
		return s, shape("picture order count type %d: display order may differ from coding order", order)
	}
	s.order[1], s.refs[0] = r.pos, r.pos
	if refs := r.ue(); refs != 1 {
		return s, shape("%d reference pictures instead of 1", refs)
	}
	s.refs[1] = r.pos
	if r.flag() {
		return s, shape("gaps in frame numbers allowed")
	}
	width, height := r.ue()+1, r.ue()+1
	if !r.flag() {
		return s, shape("interlaced coding")
	}
	s.macroblocks = width * height
	s.width, s.height = int(16*width), int(16*height)
	r.flag() // direct_8x8_inference_flag
	if r.flag() {
		left, right, top, bottom := r.ue(), r.ue(), r.ue(), r.ue() // in pairs of pixels, the chroma resolution
		s.width -= 2 * int(left+right)
		s.height -= 2 * int(top+bottom)
	}
	if r.flag() {
		if err := s.usability(r); err != nil {
			return s, err
		}
	}
	if r.err != nil {
		return s, shape("parsing the sequence parameter set: %v", r.err)
	}
	if s.frameNumBits > 16 || width > 1024 || height > 1024 {
		return s, shape("values out of range in the sequence parameter set")
	}
	return s, nil
}

// usability parses the video usability information (ITU-T H.264, E.1.1) up to the numbers of pictures that a decoder
// keeps.
func (s *sps) usability(r *bitReader) error {
	if r.flag() && r.u(8) == 255 { // the shape of pixels
		r.u(32)
	}
	if r.flag() { // overscan
		r.flag()
	}
	if r.flag() { // video signal
		r.u(4)
		if r.flag() {
			r.u(24)
		}
	}
	if r.flag() { // chroma samples
		r.ue()
		r.ue()
	}
	if r.flag() { // timing
		r.u(32)
		r.u(32)
		r.flag()
	}
	if nal, vcl := r.flag(), r.flag(); nal || vcl {
		return shape("parameters of a reference decoder")
	}
	r.flag() // pic_struct_present_flag
	if !r.flag() {
		return nil
	}
	r.flag() // motion_vectors_over_pic_boundaries_flag
	for range 4 {
		r.ue() // the largest picture, macroblock and vector
	}
	s.reorder[0] = r.pos
	r.ue()
	r.ue()
	s.reorder[1] = r.pos
	return nil
}

// orderBits is the size of the picture order count in slice headers. A count is unique among 32,768 pictures, and may
// differ from that of the last reference picture by half of its range.
const orderBits = 16

// blendBuffer is the number of pictures that a decoder keeps for a stream with blends. Two are enough, the reference
// pictures of a blend. But OpenH264 up to 2.6.0, if it decodes in one thread, shows pictures one later than necessary
// after a blend, and needs room for that one as well.
const blendBuffer = 3

// counted returns the sequence parameter set raw with picture order counts in the slice headers. Without them, two
// adjacent pictures that no other picture refers to are not allowed. With blends, one picture is decoded before others
// that are shown first.
func counted(raw []byte, s sps, blends bool) []byte {
	w := &bitWriter{}
	w.copy(raw, 0, s.order[0])
	w.ue(0) // pic_order_cnt_type
	w.ue(orderBits - 4)
	from := s.order[1]
	if blends {
		w.copy(raw, from, s.refs[0])
		w.ue(blendBuffer) // max_num_ref_frames
		if from = s.refs[1]; s.reorder[0] > 0 {
			w.copy(raw, from, s.reorder[0])
			w.ue(1)           // max_num_reorder_frames
			w.ue(blendBuffer) // max_dec_frame_buffering
			from = s.reorder[1]
		}
	}
	w.copy(raw, from, lastBit(raw))
	return escape(w.end())
}

// pps is the required part of a picture parameter set.
type pps struct {
	id, sps uint32
	// filtered means that slice headers control the deblocking filter.
	filtered bool
}

// parsePPS parses a picture parameter set in the same way.
func parsePPS(raw []byte) (pps, error) {
	r := &bitReader{b: raw, pos: 8}
	p := pps{id: r.ue(), sps: r.ue()}
	cabac := r.flag()
	order, groups := r.flag(), r.ue()
	l0, l1 := r.ue(), r.ue()
	weighted, biweighted := r.flag(), r.u(2)
	r.se() // quantiser
	r.se()
	r.se() // chroma offset
	p.filtered = r.flag()
	r.flag()
	redundant := r.flag()
	switch {
	case r.err != nil:
		return p, shape("parsing the picture parameter set: %v", r.err)
	case order || groups != 0 || l0 != 0 || l1 != 0 || weighted || biweighted != 0 || redundant:
		return p, shape("picture parameter set with slice groups, weights, several references or redundant pictures")
	case !cabac:
		return p, shape("CAVLC instead of CABAC")
	}
	return p, nil
}

// skipPPS returns the picture parameter set of repeated and moved pictures: CAVLC, everything else at its simplest.
func skipPPS(id, spsID uint32) []byte {
	w := &bitWriter{}
	w.u(8, 0x60|typePPS)
	w.ue(id)
	w.ue(spsID)
	w.u(1, 0) // entropy_coding_mode_flag: CAVLC
	w.u(1, 0) // bottom_field_pic_order_in_frame_present_flag
	w.ue(0)   // num_slice_groups_minus1
	w.ue(0)   // num_ref_idx_l0_default_active_minus1
	w.ue(0)   // num_ref_idx_l1_default_active_minus1
	w.u(1, 0) // weighted_pred_flag
	w.u(2, 1) // weighted_bipred_idc: blends have weights
	w.se(0)   // pic_init_qp_minus26
	w.se(0)   // pic_init_qs_minus26
	w.se(0)   // chroma_qp_index_offset
	w.u(1, 1) // deblocking_filter_control_present_flag
	w.u(1, 0) // constrained_intra_pred_flag
	w.u(1, 0) // redundant_pic_cnt_present_flag
	return escape(w.end())
}

// slice begins a slice over the whole picture, in a unit whose first byte is head: a B slice with the given weight of the
// picture after it, or a P slice if the weight is 0. The caller appends its macroblocks.
func (s sps) slice(head, ppsID, frameNum, order uint32, qp, weight int32, m marking) *bitWriter {
	w := &bitWriter{}
	w.u(8, head)
	w.ue(0) // first_mb_in_slice
	if weight == 0 {
		w.ue(5) // slice_type: P, as all slices of the picture
	} else {
		w.ue(6) // B
	}
	w.ue(ppsID)
	w.u(s.frameNumBits, frameNum)
	w.u(orderBits, order)
	if weight > 0 {
		w.u(1, 1) // direct_spatial_mv_pred_flag
	}
	w.u(1, 0) // num_ref_idx_active_override_flag
	w.u(1, 0) // ref_pic_list_modification_flag_l0
	if weight > 0 {
		w.u(1, 0) // ref_pic_list_modification_flag_l1
		w.weights(WeightUnit-weight, weight)
	}
	if head>>5 != 0 {
		w.marking(m)
	}
	w.se(qp - 26) // slice_qp_delta
	w.ue(1)       // disable_deblocking_filter_idc: keep the prediction exact
	return w
}

// marking defines which of the reference pictures before a reference picture a decoder drops after it. It holds the
// given number of them, and keeps the last ones.
type marking struct{ keep, held int }

// marking appends the marking; see ITU-T H.264, 7.3.3.3. Each reference picture has a frame number of its own.
func (w *bitWriter) marking(m marking) {
	if m.keep >= m.held {
		w.u(1, 0) // adaptive_ref_pic_marking_mode_flag
		return
	}
	w.u(1, 1)
	for n := m.keep; n < m.held; n++ {
		w.ue(1)         // memory_management_control_operation: drop a picture
		w.ue(uint32(n)) // difference_of_pic_nums_minus1
	}
	w.ue(0)
}

// weights appends the weights of one reference picture in each list; see ITU-T H.264, 7.3.3.2.
func (w *bitWriter) weights(each ...int32) {
	w.ue(weightBits) // luma_log2_weight_denom
	w.ue(weightBits) // chroma_log2_weight_denom
	for _, v := range each {
		w.u(1, 1) // luma_weight_flag
		w.se(v)
		w.se(0)   // the offset
		w.u(1, 1) // chroma_weight_flag
		for range 2 {
			w.se(v)
			w.se(0)
		}
	}
}

// skipSlice returns one repeated picture: a P slice over the whole picture in which every macroblock is skipped.
// Without motion in any macroblock the predicted motion is zero, so a decoder copies the previous picture.
func skipSlice(s sps, ppsID, frameNum, order uint32, m marking) []byte {
	w := s.slice(0x40|typeSlice, ppsID, frameNum, order, 26, 0, m) // nal_ref_idc 2: a reference, as the picture it repeats
	w.ue(s.macroblocks)
	return escape(w.end())
}

// movedHead is the size of the head of a unit of Moved: its type, its quantization parameter, its weight, and the number
// of its macroblocks.
const movedHead = 1 + 1 + 1 + 4

// parseMoved checks a unit of Moved and returns it without emulation prevention. A weight above 0 means a blend.
func parseMoved(unit []byte, s sps) (raw []byte, weight int32, err error) {
	raw = unescape(unit)
	if len(raw) <= movedHead || raw[1] > 51 || raw[2] >= WeightUnit {
		return nil, 0, shape("damaged moved picture")
	}
	if n := binary.BigEndian.Uint32(raw[3:]); n != s.macroblocks {
		return nil, 0, shape("moved picture of %d macroblocks instead of %d", n, s.macroblocks)
	}
	return raw, int32(raw[2]), nil
}

// movedSlice returns the picture of a unit that parseMoved returned.
func movedSlice(s sps, ppsID, frameNum, order uint32, raw []byte) []byte {
	w := s.slice(typeSlice, ppsID, frameNum, order, int32(raw[1]), int32(raw[2]), marking{})
	w.copy(raw, 8*movedHead, lastBit(raw))
	return escape(w.end())
}

// sliceHead is a slice header.
type sliceHead struct {
	pps         uint32
	frameNum    uint32
	frameNumPos int // in bits, in the payload
	orderPos    int // where the picture order count belongs
	markPos     int // where the marking of reference pictures begins
	end         int // where the header ends
	idr         bool
	idrID       uint32
}

// parseSlice parses a slice header; the head of the unit is enough.
func parseSlice(raw []byte, s sps, p pps) (sliceHead, error) {
	var h sliceHead
	r := &bitReader{b: raw, pos: 8}
	if first := r.ue(); first != 0 {
		return h, shape("several slices per picture")
	}
	kind := r.ue() % 5
	h.pps = r.ue()
	h.frameNumPos = r.pos
	h.frameNum = r.u(s.frameNumBits)
	h.idr = raw[0]&31 == typeIDR
	if h.idr {
		h.idrID = r.ue()
	}
	h.orderPos = r.pos
	switch {
	case r.err != nil:
		return h, shape("parsing the slice header: %v", r.err)
	case raw[0]>>5&3 == 0:
		return h, shape("picture that is not a reference")
	case kind != 0 && kind != 2:
		return h, shape("unsupported slice type %d", kind)
	case h.idr && h.frameNum != 0:
		return h, shape("key frame with frame number %d instead of 0", h.frameNum)
	}
	if kind == 0 {
		if override, modified := r.flag(), r.flag(); override || modified {
			return h, shape("slice with references of its own")
		}
	}
	h.markPos = r.pos
	if h.idr {
		r.u(2) // no_output_of_prior_pics_flag, long_term_reference_flag
	} else if r.flag() {
		return h, shape("slice that manages references")
	}
	if kind == 0 {
		r.ue() // cabac_init_idc
	}
	r.se() // slice_qp_delta
	if p.filtered && r.ue() != 1 {
		r.se()
		r.se()
	}
	if r.err != nil {
		return h, shape("parsing the slice header: %v", r.err)
	}
	h.end = r.pos
	return h, nil
}

// key returns a key frame with a picture order count of 0.
func key(unit []byte, h sliceHead) []byte {
	raw := unescape(unit)
	w := &bitWriter{b: make([]byte, 0, len(raw)+4)}
	w.copy(raw, 0, h.orderPos)
	w.u(orderBits, 0)
	w.copy(raw, h.orderPos, h.end)
	return finish(w, raw, h)
}

// renumber returns a coded picture with another frame number, with a picture order count and with a marking. A key frame
// becomes an I picture, so that the reference pictures before it remain.
func renumber(unit []byte, h sliceHead, s sps, frameNum, order uint32, m marking) []byte {
	raw := unescape(unit)
	w := &bitWriter{b: make([]byte, 0, len(raw)+4)}
	w.u(8, uint32(raw[0]&^31|typeSlice))
	w.copy(raw, 8, h.frameNumPos)
	w.u(s.frameNumBits, frameNum)
	w.u(orderBits, order)
	w.copy(raw, h.orderPos, h.markPos)
	w.marking(m)
	flags := 1
	if h.idr {
		flags = 2
	}
	w.copy(raw, h.markPos+flags, h.end)
	return finish(w, raw, h)
}

// finish appends the macroblocks of a picture after its new header.
func finish(w *bitWriter, raw []byte, h sliceHead) []byte {
	w.u(w.free, 1<<w.free-1) // cabac_alignment_one_bit
	return escape(append(w.b, raw[(h.end+7)/8:]...))
}
