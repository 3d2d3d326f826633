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
			Name: "make_slideshow", Title: "Make a slideshow", Description: "From an idea to a finished slideshow with its video, for the person to look at. Nothing is published.",
			Arguments: []*sdk.PromptArgument{
				{Name: "context", Title: "What it is about", Description: "Who the slideshow is for and what it should say.", Required: true},
				{Name: "slide_count", Title: "Slides", Description: fmt.Sprintf("%d to %d; left out, the service chooses.", catalog.MinSlides, catalog.MaxSlides)},
				{Name: "design_style", Title: "Style", Description: "A style of get_capabilities; left out, one that was not used lately."},
			},
		},
		text: `Make a short-form slideshow with the Reelops tools. It is about: {context}
1. Call get_capabilities once if you need accepted values.
2. Call create_slideshow with that context and a new idempotency_key.
?slide_count   Use slide_count {slide_count}.
?design_style   Use design_style {design_style}.
3. Call get_job with the job_id and wait 25 until status is succeeded or failed.
4. Call list_shorts with the short_id and include_images, look at every slide as its viewer would, and repair what is weak with update_slideshow.
5. Call render_slideshow, then get_job again until result.video_url is filled.
6. Show me the title, the caption, the words of each slide and the video's address. Publish nothing.`,
	},
	{
		Prompt: sdk.Prompt{
			Name: "publish_short", Title: "Publish a short", Description: "Checks a finished short, asks, then publishes or schedules it and tells what became of it.",
			Arguments: []*sdk.PromptArgument{
				{Name: "short_id", Title: "Short", Description: "The id of the short.", Required: true},
				{Name: "platforms", Title: "Platforms", Description: "Comma separated: tiktok, youtube, instagram, linkedin. Left out: every account that is ready."},
				{Name: "scheduled_at", Title: "When", Description: "A time with its offset, at least 5 minutes ahead. Left out: now."},
			},
		},
		text: `Publish the short {short_id} with the Reelops tools.
1. Call list_shorts with short_id {short_id} and list_connections.
?platforms   Only these platforms: {platforms}.
?scheduled_at   Schedule it for {scheduled_at}.
2. Call validate_post. Correct what its issues name, as far as you can (captions and titles by platform_customizations), and check again.
3. Show me the accounts, the caption and the time, and wait for my yes: what is published cannot be taken back.
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
