// What a run's page and the forms do where there is script. Everything works without.
"use strict";
for (const button of document.querySelectorAll("[data-copy]")) {
  const from = document.getElementById(button.dataset.copy);
  if (!from || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = button.parentElement.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(from.textContent);
      said.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(from);
      said.textContent = "Press Ctrl-C to copy it.";
    }
  });
}
// Only the models of the server that is chosen are suggested.
for (const select of document.querySelectorAll("[data-models]")) {
  const list = document.getElementById(select.dataset.models);
  const all = [...list.options];
  const show = () => list.replaceChildren(...all.filter((o) => o.dataset.at === select.value));
  select.addEventListener("change", show);
  show();
}
