// Keys of the page on which items are labelled. Without it everything there is a button.
"use strict";
(() => {
  const on = document.getElementById("label-keys");
  if (!on) return;
  const off = "gavel-keys-off";
  try { on.checked = !localStorage.getItem(off); } catch { } // a browser may keep nothing
  on.addEventListener("change", () => { try { on.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "1"); } catch { } });
  let sent = false; // a key that is held says one thing, not one of each item that comes
  document.addEventListener("submit", e => { sent ? e.preventDefault() : sent = true; setTimeout(() => { sent = false; }, 5000); }); // it may have been stopped
  window.addEventListener("pageshow", () => { sent = false; });
  document.addEventListener("keydown", e => {
    if (!on.checked || sent || e.repeat || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const at = [...document.querySelectorAll("[data-key]")].find(b => b.dataset.key === e.key.toLowerCase());
    if (!at) return;
    e.preventDefault();
    if (at.dataset.key === "n") {
      at.parentElement.open = true;
      document.getElementById("note").focus();
    } else at.click();
  });
})();
