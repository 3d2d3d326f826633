// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Interval between polls of the processing status: half the elapsed time, between minWait and maxWait.
const (
	minWait = 3 * time.Second
	maxWait = time.Minute
	// settling is how long a new video may be missing from lists.
	settling = 5 * time.Minute
)

// Headroom returns nil: YouTube does not report how many uploads remain.
func (p *Platform) Headroom(context.Context, publish.Account) (*publish.Headroom, error) {
	return nil, nil
}

// Prepare uploads the video as private and waits until YouTube has processed it.
func (p *Platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, raw []byte, save func([]byte) error) (publish.Step, error) {
	if err := fits(d); err != nil {
		return publish.Step{}, err
	}
	t, err := compose(d)
	if err != nil {
		return publish.Step{}, err
	}
	n, err := readNote(raw)
	if err != nil {
		return publish.Step{}, err
	}
	if n.VideoID == "" {
		if len(raw) > 0 && n.Total != d.Video.Bytes {
			return publish.Step{}, gone("size", "The upload to YouTube was started with another file.")
		}
		id, advanced, err := p.upload(ctx, a, d, t, n, save)
		if err != nil && advanced && publish.KindOf(err) == publish.Transient {
			// An interrupted connection is not a failure while the upload progresses.
			return publish.Step{Note: n.bytes(), Wait: minWait}, nil
		}
		if err != nil {
			return publish.Step{}, err
		}
		n.VideoID = id
		n.UploadedAt = p.c.Clock.Now()
		if err := save(n.bytes()); err != nil {
			return publish.Step{}, err
		}
	}
	step, err := p.processed(ctx, a, n)
	if err != nil || !step.Ready || d.Cover == nil || n.CoverDone {
		return step, err
	}
	return p.cover(ctx, a, d, n, save)
}

// processed returns whether YouTube has processed the video, or how long to wait.
func (p *Platform) processed(ctx context.Context, a publish.Account, n *note) (publish.Step, error) {
	list, err := p.videos(ctx, a, n.VideoID, "status,processingDetails")
	if err != nil {
		return publish.Step{}, err
	}
	since := p.c.Clock.Since(n.UploadedAt)
	wait := publish.Step{Note: n.bytes(), Wait: min(max(since/2, minWait), maxWait)}
	if len(list) == 0 {
		if since < settling {
			return wait, nil
		}
		return publish.Step{}, gone("videoNotFound", known["videoNotFound"].safe)
	}
	v := &list[0]
	if e := failed(v); e != nil {
		return publish.Step{}, e
	}
	if v.statusField("uploadStatus") != "processed" {
		return wait, nil
	}
	return publish.Step{Note: n.bytes(), Ready: true}, nil
}

// reasons maps YouTube's reasons for failed and rejected videos to user messages.
var reasons = map[string]string{
	"conversion":      "YouTube could not convert the video.",
	"invalidFile":     "YouTube does not accept the file as a video.",
	"emptyFile":       "YouTube received an empty file.",
	"tooSmall":        "The file is too small for a video on YouTube.",
	"codec":           "YouTube does not know the video's codec.",
	"uploadAborted":   "The upload to YouTube was aborted.",
	"uploadFailed":    "The upload to YouTube failed.",
	"transcodeFailed": "YouTube could not convert the video.",
	"streamingFailed": "YouTube could not make the video playable.",

	"copyright":                "YouTube rejected the video: it contains material of another owner.",
	"inappropriate":            "YouTube rejected the video as inappropriate.",
	"duplicate":                "YouTube rejected the video: the channel has it already.",
	"termsOfUse":               "YouTube rejected the video under its terms of use.",
	"uploaderAccountSuspended": "YouTube rejected the video: the account is suspended.",
	"length":                   "YouTube rejected the video: it is longer than the channel may upload.",
	"claim":                    "YouTube rejected the video after a copyright claim.",
	"uploaderAccountClosed":    "YouTube rejected the video: the account is closed.",
	"trademark":                "YouTube rejected the video over a trademark.",
	"legal":                    "YouTube rejected the video for legal reasons.",
}

// failed returns why YouTube failed or rejected a video; nil when YouTube did not.
func failed(v *video) *publish.Error {
	var code string
	switch v.statusField("uploadStatus") {
	case "failed":
		code = v.statusField("failureReason")
	case "rejected":
		code = v.statusField("rejectionReason")
	case "deleted":
		return gone("deleted", "The uploaded video was deleted on YouTube.")
	default:
		// The processing status "terminated" only means that YouTube no longer tracks the processing.
		if v.statusField("uploadStatus") == "processed" || v.ProcessingDetails.ProcessingStatus != "failed" {
			return nil
		}
		code = v.ProcessingDetails.ProcessingFailureReason
	}
	safe, ok := reasons[code]
	if !ok {
		safe = "YouTube could not process the video."
	}
	return &publish.Error{Kind: publish.Rejected, Code: word(code), Safe: safe}
}
