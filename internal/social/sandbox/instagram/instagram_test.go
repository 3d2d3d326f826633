// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
)

func TestContainer_States(t *testing.T) {
	w := newWorld(t)
	film := w.film("a.mp4", good...)
	id := w.container(map[string]any{"media_type": "REELS", "video_url": film, "caption": "Bread 🥖"})
	if s := w.state(id); s != "IN_PROGRESS" {
		t.Errorf("at first: got %s", s)
	}
	w.refused("9007/2207027", w.post("/media_publish", map[string]any{"creation_id": id}))
	w.clock.Step(10 * time.Second)
	if s := w.state(id); s != "FINISHED" {
		t.Errorf("then: got %s", s)
	}
	answer := w.post("/media_publish", map[string]any{"creation_id": id})
	post, _ := answer["id"].(string)
	if post == "" || w.state(id) != "PUBLISHED" {
		t.Fatalf("published: got %v, %s", answer, w.state(id))
	}
	w.refused("24/2207008", w.post("/media_publish", map[string]any{"creation_id": id}))
	l, ok := w.core.LandedByID("instagram", post)
	if !ok || l.Caption != "Bread 🥖" || l.Kind != "video" || l.Visibility != "public" || l.Account != "maya" {
		t.Errorf("got %+v", l)
	}
	shown := w.get("/v25.0/" + post + "?fields=id,permalink,media_type,media_product_type,caption,timestamp")
	if shown["permalink"] != l.URL || shown["media_type"] != "VIDEO" || shown["media_product_type"] != "REELS" || shown["timestamp"] != "2026-11-21T09:00:10+0000" {
		t.Errorf("got %v in the list", shown)
	}
	old := w.container(map[string]any{"image_url": w.jpeg("a.jpg", 400, 500)})
	w.clock.Step(24 * time.Hour)
	if s := w.state(old); s != "EXPIRED" {
		t.Errorf("a day later: got %s", s)
	}
	w.refused("-2/2207020", w.post("/media_publish", map[string]any{"creation_id": old}))
}

func TestContainer_RejectedVideos(t *testing.T) {
	w := newWorld(t)
	end := w.film("end.mp4", good[:len(good)-2]...)
	short := w.film("short.mp4", append([]string{"testsrc2=size=270x480:rate=30:duration=1"}, good[1:]...)...)
	slow := w.film("slow.mp4", append([]string{"testsrc2=size=270x480:rate=10:duration=4"}, good[1:]...)...)
	codec := w.film("codec.mp4", "testsrc2=size=270x480:rate=30:duration=4", "-c:v", "mpeg4", "-movflags", "+faststart")
	for name, c := range map[string]struct{ address, want string }{
		"the index at the end": {end, "2207026"},
		"one second":           {short, "2207026"},
		"ten frames a second":  {slow, "2207026"},
		"MPEG-4 part 2":        {codec, "2207026"},
		"a text file":          {w.store("text.mp4", []byte("this is a text and no film")), "2207026"},
		"missing file":         {w.files.URL + "/none.mp4", "2207052"},
		"another host":         {"http://192.0.2.1/a.mp4", "2207052"},
		"another host name":    {"http://media.invalid/a.mp4", "2207052"},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.container(map[string]any{"media_type": "REELS", "video_url": c.address})
			w.clock.Step(10 * time.Second)
			answer := w.get("/v25.0/" + id + "?fields=status_code,status")
			if answer["status_code"] != "ERROR" || !strings.Contains(fmt.Sprint(answer["status"]), c.want) {
				t.Errorf("got %v, want ERROR with %s", answer, c.want)
			}
		})
	}
}

func TestContainer_RejectedImages(t *testing.T) {
	w := newWorld(t)
	for address, want := range map[string]string{
		w.store("a.png", []byte("\x89PNG\r\n\x1a\n")):                    "36001/2207005",
		w.jpeg("tall.jpg", 400, 520):                                     "36003/2207009",
		w.jpeg("wide.jpg", 800, 400):                                     "36003/2207009",
		w.store("large.jpg", append(jpegHead(), make([]byte, 8<<20)...)): "36000/2207004",
		w.files.URL + "/none.jpg":                                        "9004/2207052",
		"http://192.0.2.1/a.jpg":                                         "9004/2207052",
	} {
		w.refused(want, w.post("/media", map[string]any{"image_url": address}))
	}
}

func TestContainer_FilesOfOtherHosts(t *testing.T) {
	// An address of this machine that is not loopback counts as another host.
	var elsewhere net.IP
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			elsewhere = n.IP
		}
	}
	if elsewhere == nil {
		t.Skip("this machine has only loopback addresses")
	}
	files := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(jpegHead()) }))
	if files.Listener, err = net.Listen("tcp", net.JoinHostPort(elsewhere.String(), "0")); err != nil {
		t.Fatal(err)
	}
	files.Start()
	t.Cleanup(files.Close)
	picture := map[string]any{"image_url": files.URL + "/a.jpg"}

	newWorld(t, files.URL+"/").container(picture)
	w := newWorld(t, files.URL+"/other/")
	w.refused("9004/2207052", w.post("/media", picture))
	// A redirect from this machine to it is rejected too.
	hop := httptest.NewServer(http.RedirectHandler(files.URL+"/a.jpg", http.StatusFound))
	t.Cleanup(hop.Close)
	w.refused("9004/2207052", w.post("/media", map[string]any{"image_url": hop.URL}))
	newWorld(t, files.URL+"/").container(map[string]any{"image_url": hop.URL})
}

func TestCarousel(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 3 {
		ids = append(ids, w.container(map[string]any{"image_url": w.jpeg(fmt.Sprintf("%d.jpg", i), 400+i, 500), "is_carousel_item": true}))
	}
	w.refused("9007/2207027", w.post("/media", map[string]any{"media_type": "CAROUSEL", "children": strings.Join(ids, ",")}))
	w.clock.Step(10 * time.Second)
	w.refused("100/2207028", w.post("/media", map[string]any{"media_type": "CAROUSEL", "children": ids[0]}))
	w.refused("24/2207006", w.post("/media", map[string]any{"media_type": "CAROUSEL", "children": []string{ids[0], "17"}}))
	w.refused("100", w.post("/media_publish", map[string]any{"creation_id": ids[0]}))
	parent := w.container(map[string]any{"media_type": "CAROUSEL", "children": ids, "caption": "three"})
	w.clock.Step(10 * time.Second)
	post, _ := w.post("/media_publish", map[string]any{"creation_id": parent})["id"].(string)
	l, ok := w.core.LandedByID("instagram", post)
	if !ok || len(l.Photos) != 3 || l.Kind != "photo_set" || l.Caption != "three" {
		t.Errorf("got %+v", l)
	}
	if got := w.get("/v25.0/" + post + "?fields=media_type")["media_type"]; got != "CAROUSEL_ALBUM" {
		t.Errorf("got %v in the list", got)
	}
	w.refused("100/2207023", w.post("/media", map[string]any{"media_type": "REELS", "video_url": "http://127.0.0.1/", "is_carousel_item": true}))
}

func TestContainer_Texts(t *testing.T) {
	w := newWorld(t)
	address := w.jpeg("a.jpg", 400, 500)
	for caption, want := range map[string]string{
		strings.Repeat("é", 2200): "", strings.Repeat("é", 2201): "36004/2207010",
		strings.Repeat("@a ", 20): "", strings.Repeat("@a ", 21): "100/2207040",
		strings.Repeat("#a ", 30): "", strings.Repeat("#a ", 31): "100",
	} {
		w.refused(want, w.post("/media", map[string]any{"image_url": address, "caption": caption}))
	}
}

func TestTokens(t *testing.T) {
	w := newWorld(t)
	w.refused("100", w.get("/refresh_access_token?grant_type=ig_refresh_token&access_token="+w.token))
	w.clock.Step(25 * time.Hour)
	next := w.get("/refresh_access_token?grant_type=ig_refresh_token&access_token=" + w.token)
	if next["access_token"] == nil || next["expires_in"] != float64(60*24*3600) {
		t.Errorf("renewed: got %v", next)
	}
	w.clock.Step(59 * 24 * time.Hour)
	w.refused("190/463", w.get("/v25.0/me?fields=user_id"))
	w.refused("190/463", w.get("/refresh_access_token?grant_type=ig_refresh_token&access_token="+w.token))
	w.token, _ = next["access_token"].(string)
	me := w.get("/v25.0/me?fields=id,user_id,username")
	if me["user_id"] != w.maya.ID || me["id"] == w.maya.ID {
		t.Errorf("got %v for me", me)
	}
	w.refused("100", w.get("/v25.0/me?fields=user_id,nonsense"))
	w.refused("100/33", w.get("/v25.0/17841400000000000/media"))
	w.refused("2500", w.get("/v25/me?fields=user_id"))
	w.token = w.connect("&withhold=instagram_business_content_publish")
	w.refused("10", w.post("/media", map[string]any{"image_url": w.jpeg("a.jpg", 400, 500)}))
	w.token = ""
	w.refused("190", w.get("/v25.0/me?fields=user_id"))
}

func TestPublish_Twice(t *testing.T) {
	for how, want := range map[string]int{instagram.SecondRefused: 1, instagram.SecondSame: 1, instagram.SecondDuplicate: 2} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			answer := w.do(http.MethodPut, "/behaviour", "application/json", strings.NewReader(`{"second_publish":"`+how+`"}`))
			if answer["second_publish"] != how || answer["quota_total"] != float64(100) {
				t.Fatalf("behaviour: got %v", answer)
			}
			id := w.container(map[string]any{"image_url": w.jpeg("a.jpg", 400, 500)})
			w.clock.Step(10 * time.Second)
			first := w.post("/media_publish", map[string]any{"creation_id": id})
			second := w.post("/media_publish", map[string]any{"creation_id": id})
			if same := first["id"] == second["id"]; same != (how == instagram.SecondSame) || (code(second) != "") != (how == instagram.SecondRefused) {
				t.Errorf("first: got %v, second: got %v", first, second)
			}
			if n := len(w.core.Landed("instagram")); n != want {
				t.Errorf("got %d posts, want %d", n, want)
			}
		})
	}
}

func TestPublish_Limit(t *testing.T) {
	w := newWorld(t)
	b := instagram.Usual
	b.QuotaTotal, b.MaxContainers = 1, 3
	w.p.Behave(b)
	address := w.jpeg("a.jpg", 400, 500)
	var ids []string
	for range 3 {
		ids = append(ids, w.container(map[string]any{"image_url": address}))
	}
	w.refused("9/2207042", w.post("/media", map[string]any{"image_url": address}))
	w.clock.Step(10 * time.Second)
	w.refused("", w.post("/media_publish", map[string]any{"creation_id": ids[0]}))
	w.refused("9/2207042", w.post("/media_publish", map[string]any{"creation_id": ids[1]}))
	limit := w.get("/v25.0/" + w.maya.ID + "/content_publishing_limit?fields=quota_usage,config")
	if got := fmt.Sprint(limit["data"]); got != "[map[config:map[quota_duration:86400 quota_total:1] quota_usage:1]]" {
		t.Errorf("got limit %s", got)
	}
	if got := fmt.Sprint(w.get("/v25.0/" + w.maya.ID + "/content_publishing_limit")["data"]); got != "[map[quota_usage:1]]" {
		t.Errorf("got limit %s without fields", got)
	}
}

func TestMedia_ListAndInsights(t *testing.T) {
	w := newWorld(t)
	film := w.film("a.mp4", good...)
	var posts []string
	for range 3 {
		id := w.container(map[string]any{"media_type": "REELS", "video_url": film})
		w.clock.Step(10 * time.Second)
		post, _ := w.post("/media_publish", map[string]any{"creation_id": id})["id"].(string)
		posts = append(posts, post)
	}
	var got []string
	path := "/v25.0/" + w.maya.ID + "/media?fields=id,timestamp&limit=2"
	for range 3 {
		page := w.get(path)
		for _, d := range page["data"].([]any) {
			got = append(got, d.(map[string]any)["id"].(string))
		}
		next, _ := page["paging"].(map[string]any)["next"].(string)
		if next == "" {
			break
		}
		path = strings.TrimPrefix(next, w.base)
	}
	if want := []string{posts[2], posts[1], posts[0]}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v in the list, want %v", got, want)
	}
	views := func() float64 {
		answer := w.get("/v25.0/" + posts[0] + "/insights?metric=views,reach,saved,ig_reels_avg_watch_time")
		data, _ := answer["data"].([]any)
		if len(data) != 4 {
			t.Fatalf("got insights %v", answer)
		}
		return data[0].(map[string]any)["values"].([]any)[0].(map[string]any)["value"].(float64)
	}
	w.clock.Step(time.Hour)
	first := views()
	w.clock.Step(time.Hour)
	if second := views(); second <= first || first <= 0 {
		t.Errorf("views: got %v, an hour later %v", first, second)
	}
	w.refused("100", w.get("/v25.0/"+posts[0]+"/insights?metric=views,profile_visits"))
	w.refused("100", w.get("/v25.0/"+posts[0]+"/insights?metric=impressions"))
	account := w.get("/v25.0/" + w.maya.ID + "/insights?metric=views,likes&period=day&metric_type=total_value")
	if data, _ := account["data"].([]any); len(data) != 2 || data[0].(map[string]any)["total_value"].(map[string]any)["value"].(float64) <= 0 {
		t.Errorf("got account %v", account)
	}
	w.refused("100", w.get("/v25.0/"+w.maya.ID+"/insights?metric=views&period=day&metric_type=time_series"))
	if err := w.core.Remove("instagram", posts[0]); err != nil {
		t.Fatal(err)
	}
	w.refused("100/33", w.get("/v25.0/"+posts[0]+"?fields=id"))
}

func TestContainer_Upload(t *testing.T) {
	w := newWorld(t)
	w.film("a.mp4", good...)
	body := readFile(t, filepath.Join(w.dir, "a.mp4"))
	w.refused("100", w.post("/media", map[string]any{"media_type": "REELS", "upload_type": "resumable"}))
	b := instagram.Usual
	b.Resumable = true
	w.p.Behave(b)
	answer := w.post("/media", map[string]any{"media_type": "REELS", "upload_type": "resumable"})
	uri, _ := answer["uri"].(string)
	send := func(offset int, part []byte) map[string]any {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, uri, bytes.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "OAuth "+w.token)
		req.Header.Set("offset", fmt.Sprint(offset))
		req.Header.Set("file_size", fmt.Sprint(len(body)))
		res, err := w.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var out map[string]any
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := send(10, body[10:]); got["success"] == true {
		t.Errorf("a gap is accepted: %v", got)
	}
	if got := send(0, body[:1000]); got["success"] == true {
		t.Errorf("a part is accepted as the whole: %v", got)
	}
	if got := send(1000, body[1000:]); got["success"] != true {
		t.Errorf("the rest: got %v", got)
	}
	w.clock.Step(10 * time.Second)
	id, _ := answer["id"].(string)
	if s := w.state(id); s != "FINISHED" {
		t.Errorf("got %s", s)
	}
}

// A new platform on the same directory returns the earlier posts, and a reset deletes them.
func TestRestartAndReset(t *testing.T) {
	dir := t.TempDir()
	open := func() (*sandbox.Sandbox, *instagram.Platform) {
		core, err := sandbox.New(sandbox.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		p := instagram.New(core)
		core.Mount(instagram.Name, p)
		return core, p
	}
	core, _ := open()
	if err := core.Land(sandbox.Landing{Platform: "instagram", Account: "maya", Kind: "video", Visibility: "public", ID: "17001", URL: "http://x/instagram/reel/a/"}); err != nil {
		t.Fatal(err)
	}
	_ = core.Close()
	core, p := open()
	defer func() { _ = core.Close() }()
	count := func() string {
		k := core.Tokens(instagram.Name, sandbox.TokenRules{}).Issue(sandbox.Grant{Account: "maya", Scopes: []string{"instagram_business_basic"}})
		r := httptest.NewRequest(http.MethodGet, "/v25.0/me?fields=media_count", nil)
		r.Header.Set("Authorization", "Bearer "+k.Access)
		rec := httptest.NewRecorder()
		p.Handler().ServeHTTP(rec, r)
		return strings.TrimSpace(rec.Body.String())
	}
	if got := count(); !strings.Contains(got, `"media_count":1`) {
		t.Errorf("after a restart: got %s", got)
	}
	if err := core.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := count(); !strings.Contains(got, `"media_count":0`) {
		t.Errorf("after a reset: got %s", got)
	}
}
