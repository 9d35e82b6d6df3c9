// Keeps the progress of a run up to date. Everything else works without script.
"use strict";
for (const box of document.querySelectorAll("[data-events]")) {
  const at = (name) => box.querySelector('[data-live="' + name + '"]');
  const put = (name, text) => {
    const e = at(name);
    if (e && e.textContent !== String(text)) e.textContent = text;
  };
  const time = (s) => {
    s = Math.round(s);
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    return (h ? h + "h" : "") + (h || m ? m + "m" : "") + (s % 60) + "s";
  };
  const wait = (ms) => ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s";
  const slow = (judgments) => { // links to them, in words that stay text
    const e = at("slow");
    if (!e) return;
    const run = box.dataset.events.replace(/\/events$/, "");
    e.replaceChildren(...judgments.flatMap((j, i) => {
      const a = document.createElement("a");
      a.href = run + "/item?id=" + encodeURIComponent(j.item);
      a.textContent = wait(j.ms);
      return i ? [", ", a] : [a];
    }));
    if (!judgments.length) e.textContent = "none";
  };
  const events = new EventSource(box.dataset.events);
  events.addEventListener("progress", (event) => {
    const p = JSON.parse(event.data);
    put("status", p.status + (p.stalled ? ", silent" : ""));
    put("done", p.done);
    put("judgments", p.judgments);
    put("failed", p.failed);
    put("rate", p.rate.toFixed(2));
    put("left", p.left_s === null ? "unknown" : time(p.left_s));
    put("alarm", p.alarm || "");
    put("tokens", p.reply_tokens_per_second.toFixed(1));
    put("usual", p.usual_ms ? wait(p.usual_ms) : "unknown");
    slow(p.slow || []);
    if (p.diagnosed) put("scored", "From " + p.diagnosed + " judgments so far.");
    const bar = at("bar");
    if (bar) {
      bar.max = p.judgments;
      bar.value = p.done;
    }
    if (p.problem) put("said", p.problem);
  });
  events.addEventListener("score", (event) => { // the part of the page as the server writes it
    at("score").innerHTML = JSON.parse(event.data);
  });
  events.addEventListener("end", () => {
    events.close();
    if (box.closest("[data-follow]")) { // what comes next is on the page then
      setTimeout(() => location.reload(), 1000);
    }
    put("said", "It has ended. ");
    const said = at("said");
    if (said && !said.querySelector("a")) {
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = "Reload the page";
      said.append(link);
    }
  });
}
for (const e of document.querySelectorAll("[data-reload]")) {
  const later = () => setTimeout(() => { // but never while somebody writes
    if (document.querySelector("input:focus, textarea:focus, select:focus")) later();
    else location.reload();
  }, 1000 * Number(e.dataset.reload));
  later();
}
