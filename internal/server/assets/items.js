// Keys and copying on the pages of items. Without it everything there is a link or a form.
"use strict";
(() => {
  const keys = document.getElementById("keys");
  const off = "gavel-keys-off";
  const store = { // a browser may keep nothing
    get: () => { try { return localStorage.getItem(off); } catch { return null; } },
    set: on => { try { on ? localStorage.removeItem(off) : localStorage.setItem(off, "1"); } catch { } },
  };
  for (const e of document.querySelectorAll(".script-only")) e.hidden = false;

  // Of a list the links of the items, of an item its neighbours.
  const step = by => {
    const links = [...document.querySelectorAll("#items tbody th a")];
    if (!links.length) return document.getElementById(by > 0 ? "next" : "previous")?.click();
    const at = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))].focus();
  };
  const acts = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => {
      const q = document.getElementById("q");
      if (!q) return document.getElementById("back")?.click();
      q.closest("details").open = true;
      q.focus();
      q.select();
    },
    "?": () => keys.showModal(),
  };
  if (keys) {
    const on = document.getElementById("keys-on");
    on.checked = !store.get();
    on.addEventListener("change", () => store.set(on.checked));
    document.querySelector("[data-opens=keys]").addEventListener("click", () => keys.showModal());
    document.addEventListener("keydown", e => {
      const act = acts[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey || keys.open || !on.checked || e.target.closest("input, select, textarea")) return;
      e.preventDefault();
      act();
    });
  }

  for (const b of document.querySelectorAll("[data-copies], [data-copies-from]")) b.addEventListener("click", async () => {
    const said = b.textContent;
    try {
      const from = b.dataset.copiesFrom;
      const text = from ? await (await fetch(from)).text() : document.getElementById(b.dataset.copies).textContent;
      await navigator.clipboard.writeText(text);
      b.textContent = "Copied";
    } catch {
      b.textContent = "This browser does not let pages copy";
    }
    setTimeout(() => { b.textContent = said; }, 2000);
  });

  // A picture is drawn as SVG; as PNG it is taken by what shows no SVG.
  for (const b of document.querySelectorAll("[data-picture]")) b.addEventListener("click", async () => {
    const picture = new Image();
    picture.src = b.dataset.picture;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 630 });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    Object.assign(document.createElement("a"), { href: canvas.toDataURL("image/png"), download: "gavel.png" }).click();
  });
})();
