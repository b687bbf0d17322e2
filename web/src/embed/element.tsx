// <plumbline-chat src="https://…" database="…" key="…">: the conversation, embedded in another page.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot, type Root } from "react-dom/client";
import { connect } from "../api/client";
import { Guarded } from "../parts/Guarded";
import { Embedded } from "../state/embedded";
import { Chat } from "./Chat";
import { styles } from "./styles";

const OPTIONS = { defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } } };

export class PlumblineChat extends HTMLElement {
  static readonly observedAttributes = ["src", "database", "key"];
  private root: Root | null = null;

  connectedCallback(): void {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [styles()];
    const place = document.createElement("div");
    place.style.height = "100%";
    shadow.replaceChildren(place);
    this.root = createRoot(place);
    this.render();
  }

  disconnectedCallback(): void {
    this.root?.unmount();
    this.root = null;
  }

  attributeChangedCallback(): void {
    this.render();
  }

  private render(): void {
    if (!this.root) return;
    const { src, database, key } = { src: "", database: "", key: "", ...this.given() };
    connect(src || new URL(/* @vite-ignore */ "..", import.meta.url).href, key);
    // Another database or key starts a new conversation and discards the last one.
    this.root.render(
      <Embedded value={true}>
        <QueryClientProvider key={[src, database, key].join("\n")} client={new QueryClient(OPTIONS)}>
          <Guarded>
            <Chat database={database} />
          </Guarded>
        </QueryClientProvider>
      </Embedded>,
    );
  }

  private given(): Record<string, string> {
    return Object.fromEntries(PlumblineChat.observedAttributes.map((name) => [name, this.getAttribute(name) ?? ""]));
  }
}

if (!customElements.get("plumbline-chat")) customElements.define("plumbline-chat", PlumblineChat);
