// What the page says. The texts come with the document, in the language of the one who looks.

const boot = JSON.parse($("boot").textContent);

// word is a text of the catalogue; what stands in it for a variable is {Name}.
function word(key, args = {}) {
  return (boot.texts["page." + key] ?? key).replace(/\{(\w+)\}/g, (all, name) => args[name] ?? all);
}

// The texts of the document itself.
function speak() {
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", word(node.dataset.label));
  }
}
