// SPDX-License-Identifier: Apache-2.0

package h264

import (
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
	if order := r.ue(); order != 2 {
		return s, shape("picture order count type %d: display order may differ from coding order", order)
	}
	if refs := r.ue(); refs != 1 {
		return s, shape("%d reference pictures instead of 1", refs)
	}
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
	if r.err != nil {
		return s, shape("parsing the sequence parameter set: %v", r.err)
	}
	if s.frameNumBits > 16 || width > 1024 || height > 1024 {
		return s, shape("values out of range in the sequence parameter set")
	}
	return s, nil
}

// pps is the required part of a picture parameter set.
type pps struct {
	id, sps uint32
}

// parsePPS parses a picture parameter set in the same way.
func parsePPS(raw []byte) (pps, error) {
	r := &bitReader{b: raw, pos: 8}
	p := pps{id: r.ue(), sps: r.ue()}
	r.flag() // entropy coding
	order, groups := r.flag(), r.ue()
	l0, l1 := r.ue(), r.ue()
	weighted, biweighted := r.flag(), r.u(2)
	r.se() // quantiser
	r.se()
	r.se() // chroma offset
	r.flag()
	r.flag()
	redundant := r.flag()
	switch {
	case r.err != nil:
		return p, shape("parsing the picture parameter set: %v", r.err)
	case order || groups != 0 || l0 != 0 || l1 != 0 || weighted || biweighted != 0 || redundant:
		return p, shape("picture parameter set with slice groups, weights, several references or redundant pictures")
	}
	return p, nil
}

// skipPPS returns the picture parameter set of repeated pictures: CAVLC, everything else at its simplest.
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
	w.u(2, 0) // weighted_bipred_idc
	w.se(0)   // pic_init_qp_minus26
	w.se(0)   // pic_init_qs_minus26
	w.se(0)   // chroma_qp_index_offset
	w.u(1, 1) // deblocking_filter_control_present_flag
	w.u(1, 0) // constrained_intra_pred_flag
	w.u(1, 0) // redundant_pic_cnt_present_flag
	return escape(w.end())
}

// skipSlice returns one repeated picture: a P slice over the whole picture in which every macroblock is skipped.
// Without motion in any macroblock the predicted motion is zero, so a decoder copies the previous picture.
func skipSlice(s sps, ppsID, frameNum uint32) []byte {
	w := &bitWriter{}
	w.u(8, 0x40|typeSlice) // nal_ref_idc 2: with this picture order every picture is a reference
	w.ue(0)                // first_mb_in_slice
	w.ue(5)                // slice_type: P, as all slices of the picture
	w.ue(ppsID)
	w.u(s.frameNumBits, frameNum)
	w.u(1, 0) // num_ref_idx_active_override_flag
	w.u(1, 0) // ref_pic_list_modification_flag_l0
	w.u(1, 0) // adaptive_ref_pic_marking_mode_flag
	w.se(0)   // slice_qp_delta
	w.ue(1)   // keep the copy exact
	w.ue(s.macroblocks)
	return escape(w.end())
}

// sliceHead is the beginning of a slice header.
type sliceHead struct {
	pps         uint32
	frameNum    uint32
	frameNumPos int // in bits, in the payload
	idrID       uint32
}

// parseSlice parses the beginning of a slice header; the head of the unit is enough.
func parseSlice(raw []byte, s sps) (sliceHead, error) {
	var h sliceHead
	r := &bitReader{b: raw, pos: 8}
	if first := r.ue(); first != 0 {
		return h, shape("several slices per picture")
	}
	kind := r.ue() % 5
	h.pps = r.ue()
	h.frameNumPos = r.pos
	h.frameNum = r.u(s.frameNumBits)
	if raw[0]&31 == typeIDR {
		h.idrID = r.ue()
	}
	if r.err != nil {
		return h, shape("parsing the slice header: %v", r.err)
	}
	switch idr := raw[0]&31 == typeIDR; {
	case raw[0]>>5&3 == 0:
		return h, shape("picture that is not a reference")
	case kind != 0 && kind != 2:
		return h, shape("unsupported slice type %d", kind)
	case idr && h.frameNum != 0:
		return h, shape("key frame with frame number %d instead of 0", h.frameNum)
	}
	return h, nil
}
