// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reelops/reelops/internal/catalog"
)

// prompt is a task that a person can start by its name.
type prompt struct {
	sdk.Prompt
	// text of the message. Every {argument} is replaced by its value. A line that begins with ?argument is omitted if
	// that argument is not given.
	text string
}

var prompts = []prompt{
	{
		Prompt: sdk.Prompt{
			Name: "make_slideshow", Title: "Create a slideshow", Description: "Creates a slideshow with its video from an idea, for review. Nothing is published.",
			Arguments: []*sdk.PromptArgument{
				{Name: "context", Title: "Context", Description: "The audience and the message of the slideshow.", Required: true},
				{Name: "slide_count", Title: "Slides", Description: fmt.Sprintf("%d to %d. Default: chosen by the service.", catalog.MinSlides, catalog.MaxSlides)},
				{Name: "design_style", Title: "Style", Description: "A style of get_capabilities. Default: a style that was not used recently."},
			},
		},
		text: `Create a short-form slideshow with the Reelops tools. Context: {context}
1. Call get_capabilities once if you need accepted values.
2. Call create_slideshow with that context and a new idempotency_key.
?slide_count   Use slide_count {slide_count}.
?design_style   Use design_style {design_style}.
3. Call get_job with the job_id and wait 25 until status is succeeded or failed.
4. Call list_shorts with the short_id and include_images, check every slide as a viewer would, and improve weak slides with update_slideshow.
5. Call render_slideshow, then get_job again until result.video_url is filled.
6. Show me the title, the caption, the text of each slide and the URL of the video. Do not publish anything.`,
	},
	{
		Prompt: sdk.Prompt{
			Name: "publish_short", Title: "Publish a short", Description: "Validates a finished short, asks for confirmation, publishes or schedules it, and reports the outcome.",
			Arguments: []*sdk.PromptArgument{
				{Name: "short_id", Title: "Short", Description: "The id of the short.", Required: true},
				{Name: "platforms", Title: "Platforms", Description: "Comma-separated: tiktok, youtube, instagram, linkedin. Default: every account that is ready."},
				{Name: "scheduled_at", Title: "When", Description: "A time with its UTC offset, at least 5 minutes ahead. Default: now."},
			},
		},
		text: `Publish the short {short_id} with the Reelops tools.
1. Call list_shorts with short_id {short_id} and list_connections.
?platforms   Only these platforms: {platforms}.
?scheduled_at   Schedule it for {scheduled_at}.
2. Call validate_post. Correct the problems in its issues as far as possible (captions and titles with platform_customizations), and validate again.
3. Show me the accounts, the caption and the time, and wait for my confirmation: publishing cannot be undone.
4. Call create_post with the same arguments and a new idempotency_key. After a timeout repeat it with the same key.
5. Call list_posts with short_id {short_id} about every 15 seconds until no post is pending or retrying (a scheduled one stays scheduled), and tell me each account's link or error.`,
	},
}

func addPrompts(server *sdk.Server) {
	for i := range prompts {
		p := &prompts[i]
		server.AddPrompt(&p.Prompt, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			text, err := p.fill(r.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return &sdk.GetPromptResult{
				Description: p.Description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
			}, nil
		})
	}
}

// fill returns the message for the arguments.
func (p *prompt) fill(in map[string]string) (string, error) {
	var pairs []string
	for _, a := range p.Arguments {
		if a.Required && strings.TrimSpace(in[a.Name]) == "" {
			return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("The argument %s is required.", a.Name)}
		}
		pairs = append(pairs, "{"+a.Name+"}", in[a.Name])
	}
	var lines []string
	for _, line := range strings.Split(p.text, "\n") {
		if condition, rest, ok := strings.Cut(line, "   "); ok && strings.HasPrefix(condition, "?") {
			if in[condition[1:]] == "" {
				continue
			}
			line = "   " + rest
		}
		lines = append(lines, line)
	}
	return strings.NewReplacer(pairs...).Replace(strings.Join(lines, "\n")), nil
}
