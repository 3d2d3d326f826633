// SPDX-License-Identifier: Apache-2.0

// Command demo runs the main use case once, like a client program. It sends a text over REST, receives slides, renders
// them to an MP4, and publishes the MP4 on four platforms, which a sandbox simulates. The user's own images can be
// uploaded before, into a pack. The command uses a running service (`make run`), or starts one and stops it afterwards.
// It verifies the film with ffprobe.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/hack/service"
)

type options struct {
	text, dataDir, bin, out, ratio, style, media string
	slides                                       int
}

func main() {
	o := options{}
	flag.StringVar(&o.text, "text", "hack/demo/texts/sourdough.txt", "file with the text of the slideshow")
	flag.StringVar(&o.dataDir, "data-dir", ".local", "data folder of the running service, or of the one to start")
	flag.StringVar(&o.bin, "bin", "bin", "folder with the built programs")
	flag.StringVar(&o.out, "out", "demo-output", "folder for the video and the images")
	flag.StringVar(&o.ratio, "ratio", "9:16", "aspect ratio")
	flag.StringVar(&o.style, "style", "", "design style; default: one that was not used recently")
	flag.StringVar(&o.media, "media", "", "folder with your own images for the backgrounds; default: generated ones")
	flag.IntVar(&o.slides, "slides", 0, "number of slides; 0: chosen from the text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := demo(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo failed:", err)
		os.Exit(1)
	}
}

func demo(ctx context.Context, o options) error {
	began := time.Now()
	text, err := os.ReadFile(o.text)
	if err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	s, err := service.Connect(ctx, o.dataDir, o.bin)
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := clear(o.out); err != nil {
		return err
	}

	body := map[string]any{"context": string(text), "slide_count": o.slides, "aspect_ratio": o.ratio}
	own := 0
	if o.media != "" {
		pack, err := uploadFolder(ctx, s, o.media, o.out)
		if err != nil {
			return err
		}
		body["image_source"] = map[string]any{"type": "pack", "media_pack_id": pack.ID}
		own = pack.Images
		info("the pack %[2]d has %[1]d images", own, pack.ID)
	}

	step("POST /api/v1/slideshows with %s (%d characters)", o.text, len([]rune(strings.TrimSpace(string(text)))))
	if o.style != "" {
		body["design_style"] = o.style
	}
	var made service.Job
	if err := s.API.Call(ctx, "POST", "/slideshows", body, &made); err != nil {
		return err
	}
	info("202: job %d is %s; clients should wait %d s (Retry-After) between polls, this demo polls every half second", made.ID, made.Status, made.PollAfter)
	drawn, err := s.API.Wait(ctx, made.ID, 500*time.Millisecond, infoLine)
	if err != nil {
		return err
	}
	info("%d slides after %.1f s", drawn.Result.Slides.Count, time.Since(began).Seconds())
	if own > 0 && own < drawn.Result.Slides.Count {
		info("there are more slides than images, so some images are used more than once")
	}

	step("POST /api/v1/slideshows/%d/render", made.ID)
	rendering := time.Now()
	if err := s.API.Call(ctx, "POST", fmt.Sprintf("/slideshows/%d/render", made.ID), nil, &service.Job{}); err != nil {
		return err
	}
	done, err := s.API.Wait(ctx, made.ID, 500*time.Millisecond, infoLine)
	if err != nil {
		return err
	}
	info("rendered in %.1f s", time.Since(rendering).Seconds())

	step("GET /api/v1/shorts/%d, and everything it links to", made.ID)
	var short service.Short
	if err := s.API.Call(ctx, "GET", fmt.Sprintf("/shorts/%d", made.ID), nil, &short); err != nil {
		return err
	}
	film := filepath.Join(o.out, "film.mp4")
	downloads := [][2]string{{done.Result.VideoURL, film}, {drawn.Result.PreviewURL, filepath.Join(o.out, "contact-sheet.jpg")}}
	for i, sl := range short.TypeData.Slides {
		downloads = append(downloads, [2]string{sl.RenderedImageURL, filepath.Join(o.out, fmt.Sprintf("slide-%02d.png", i+1))})
	}
	for _, d := range downloads {
		if err := s.API.Download(ctx, d[0], d[1]); err != nil {
			return err
		}
	}
	if short.Text.Model != "" {
		info("the text was written by the model %s", short.Text.Model)
	} else {
		info("the text was written without a model, from the words of the context")
	}
	info("%q, style %s: %d slides", short.Title, short.TypeData.DesignStyle, len(short.TypeData.Slides))
	for i, sl := range short.TypeData.Slides {
		fmt.Printf("    %2d. %s\n", i+1, sl.AltText)
	}

	step("kubectl get slideshows,renderjobs,jobs")
	if err := show(ctx, s, "get", "slideshows", "-n", "demo", "-l", fmt.Sprintf("reelops.dev/id=%d", made.ID)); err != nil {
		return err
	}
	if err := show(ctx, s, "get", "renderjobs,jobs", "-n", "demo", "-l", fmt.Sprintf("reelops.dev/short-id=%d", made.ID)); err != nil {
		return err
	}

	step("ffprobe %s", film)
	seen, err := check(ctx, film, short)
	if err != nil {
		return err
	}
	info("%s", seen)
	if err := publish(ctx, s, made.ID, film, o.out); err != nil {
		return err
	}
	files := "film.mp4, contact-sheet.jpg, slide-NN.png"
	if _, err := os.Stat(filepath.Join(o.out, sandboxPicture)); err == nil {
		files += ", " + sandboxPicture
	}
	fmt.Printf("\nDone in %.1f s. Look at %s/: %s.\n", time.Since(began).Seconds(), o.out, files)
	page := fmt.Sprintf("/console/shorts/%d", made.ID)
	if s.Temporary() {
		fmt.Printf("The console shows the video at %s: `make run` prints its address and a link that signs you in.\n", page)
	} else {
		fmt.Printf("The console shows the video at %s%s.\n", s.API.URL, page)
	}
	return nil
}

func step(format string, a ...any) { fmt.Printf("\n\033[1m"+format+"\033[0m\n", a...) }
func info(format string, a ...any) { fmt.Printf("    "+format+"\n", a...) }
func infoLine(s string)            { info("%s", s) }

// show prints the output of kubectl.
func show(ctx context.Context, s *service.Service, args ...string) error {
	out, err := s.Kubectl(ctx, args...)
	for line := range strings.Lines(out) {
		fmt.Print("    " + line)
	}
	return err
}

// clear creates the output folder and deletes the files of an earlier demo in it, and no other files.
func clear(dir string) error {
	for _, pattern := range []string{"film.mp4", "contact-sheet.jpg", "slide-*.png", "pack.yaml", sandboxPicture} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, f := range old {
			if err := os.Remove(f); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(dir, 0o755)
}
