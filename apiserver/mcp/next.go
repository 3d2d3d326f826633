// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// These functions return one sentence on the next step, which is appended to the envelope. It only repeats information
// of the envelope.

func nextOfJob(data any, _ arguments) string {
	job, _ := data.(object)
	id := job["job_id"]
	switch job["status"] {
	case "queued", "processing":
		return fmt.Sprintf("Not done yet: call get_job with job_id %v and wait 25.", id)
	case "failed":
		if e, _ := job["error"].(object); e["retryable"] == true {
			return "The job failed, but a retry may succeed: create or render it again with a new idempotency_key."
		}
		return "The job failed, and a retry will not help: correct the input that error names."
	}
	result, _ := job["result"].(object)
	if result["video_url"] != nil {
		return fmt.Sprintf("Done: result.video_url is the video. Next: validate_post with short_id %v, then create_post.", id)
	}
	return fmt.Sprintf("The slides are done. Next: list_shorts with short_id %v and include_images to look at them, update_slideshow to change them, render_slideshow for the video.", id)
}

func nextOfUpload(data any, in arguments) string {
	made, _ := data.(object)
	if in.has("signed_id") {
		if made["status"] == "ready" {
			return fmt.Sprintf("Stored: use media id %v.", made["id"])
		}
		return fmt.Sprintf("Stored as media id %v; search_media with media_id %v shows when its status is ready.", made["id"], made["id"])
	}
	to, _ := made["direct_upload"].(object)
	headers, _ := to["headers"].(object)
	var out strings.Builder
	out.WriteString("Next, send the file: curl -X PUT --data-binary @FILE")
	for _, name := range sorted(headers) {
		fmt.Fprintf(&out, " -H %s", quoted(fmt.Sprintf("%s: %v", name, headers[name])))
	}
	fmt.Fprintf(&out, " %s\nThen call upload_media with the signed_id.", quoted(fmt.Sprint(to["url"])))
	return out.String()
}

// quoted returns a word quoted for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func sorted(o object) []string {
	var out []string
	for name := range o {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func nextOfLink(data any, _ arguments) string {
	link, _ := data.(object)
	return fmt.Sprintf("Give authorize_url to the person: it expires in %v seconds. After the approval, call list_connections.", link["expires_in_seconds"])
}

func nextOfPost(data any, _ arguments) string {
	batch, _ := data.(object)
	return fmt.Sprintf("overall_status is %v. Accepted posts are not published yet: call list_posts with short_id %v to see each post become success or failed.", batch["overall_status"], batch["short_id"])
}

func nextOfRefresh(data any, _ arguments) string {
	r, _ := data.(object)
	return fmt.Sprintf("Wait %v seconds, then call get_analytics with social_data_id %v.", r["poll_after_seconds"], r["social_data_id"])
}

// helped returns advice on the first error of an envelope, or an empty string.
func helped(envelope object) string {
	errors, _ := envelope["errors"].([]any)
	if len(errors) == 0 {
		return ""
	}
	first, _ := errors[0].(object)
	code, _ := first["code"].(string)
	e, ok := catalog.LookupError(catalog.Code(code))
	if !ok {
		return ""
	}
	return "Remedy: " + strings.ReplaceAll(spoken(e.Fix), "`", "")
}

// decoded parses an envelope and keeps numbers as written.
func decoded(doc []byte) (out object) {
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}
