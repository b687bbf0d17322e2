// "Try it" on the page of the contract, `/api/docs`: sends its forms' requests and shows the responses as text.
// The forms are in the page, hidden until this runs: agent/api/routes/docs_page.py.
export {};

const SHOWN_CHARS = 100_000;
const HEADERS = ["content-type", "location", "etag", "retry-after", "www-authenticate", "idempotent-replayed", "x-trace-id"];
const TEXT = /json|^text\/|xml/;
const BEARER = "Authorization: Bearer";

type Field = HTMLInputElement | HTMLSelectElement;

/** The place of one form's response. Everything is inserted as text. */
class Shown {
  private readonly wrong = element("p", "wrong");
  private readonly status = element("p", "status");
  private readonly headers = element("pre", "headers");
  private readonly body = element("pre", "came");
  private readonly note = element("p", "hint");

  constructor(form: HTMLFormElement) {
    this.wrong.setAttribute("role", "alert");
    this.status.setAttribute("role", "status");
    this.body.tabIndex = 0; // so that the keyboard can scroll it
    for (const [part, name] of [[this.headers, "Headers"], [this.body, "Body"]] as const) {
      part.setAttribute("role", "group");
      part.setAttribute("aria-label", `${name} of the answer`);
    }
    this.say("");
    form.after(this.wrong, this.status, this.headers, this.body, this.note);
  }

  /** Nothing but a state, of which the rest is to come. */
  say(status: string, wrong = ""): void {
    for (const part of [this.headers, this.body, this.note]) fill(part, "");
    fill(this.status, status);
    fill(this.wrong, wrong);
  }

  head(response: Response, ms: number): void {
    fill(this.status, `${response.status} ${response.statusText}, ${Math.round(ms)} ms to the first byte`);
    const named = HEADERS.filter((name) => response.headers.has(name));
    fill(this.headers, named.map((name) => `${name}: ${response.headers.get(name)}`).join("\n"));
  }

  /** The body received so far; `whole` once it has ended. */
  come(text: string, whole: boolean): void {
    const shown = whole ? pretty(text) : text;
    fill(this.body, shown.slice(0, SHOWN_CHARS));
    const cut = shown.length > SHOWN_CHARS;
    fill(this.note, cut ? `The first ${SHOWN_CHARS} of ${shown.length} characters are shown.` : "");
  }

  /** What came before stays. */
  end(how: string, note = ""): void {
    this.status.append(`, ${how}`);
    if (note) fill(this.note, note);
  }
}

function element(name: string, className: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

function fill(part: HTMLElement, text: string): void {
  part.textContent = text;
  part.hidden = !text;
}

// Of ES2025: a number as it was written. A browser without it shows what it makes of the number.
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };
const asWritten = (_key: string, value: unknown, context?: { source: string }): unknown =>
  typeof value === "number" && rawJSON && context ? rawJSON(context.source) : value;

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, asWritten), null, 2);
  } catch {
    return text; // no JSON: events, CSV, Markdown
  }
}

/** The address of a form, with its path and query parameters. Empty optional ones are omitted. */
function addressOf(form: HTMLFormElement, fields: Field[]): URL {
  let path = form.dataset.path ?? "";
  for (const field of fields.filter((it) => it.dataset.in === "path"))
    path = path.replace(`{${field.name}}`, () => encodeURIComponent(field.value));
  const address = new URL(`..${path}`, window.location.href);
  for (const field of fields)
    if (field.dataset.in === "query" && field.value) address.searchParams.append(field.name, field.value);
  return address;
}

function headersOf(form: HTMLFormElement, fields: Field[]): Headers {
  const headers = new Headers({ accept: form.dataset.accept ?? "*/*" });
  for (const field of fields) if (field.dataset.in === "header" && field.value) headers.set(field.name, field.value);
  const key = document.querySelector<HTMLInputElement>("#key")?.value.trim();
  const header = document.querySelector<HTMLSelectElement>("#key-header")?.value;
  if (key && header && "key" in form.dataset)
    if (header === BEARER) headers.set("authorization", `Bearer ${key}`);
    else headers.set(header, key);
  return headers;
}

/** Why a body cannot be sent; empty if it can. */
function wrongWith(body: HTMLTextAreaElement | null): string {
  if (!body?.dataset.type?.includes("json") || !body.value.trim()) return "";
  try {
    JSON.parse(body.value);
    return "";
  } catch (error) {
    return `The body is not JSON, and nothing was sent. ${(error as Error).message}`;
  }
}

async function read(response: Response, shown: Shown): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.body || !type) return "";
  if (!TEXT.test(type)) {
    const { size } = await response.blob();
    return `The response is not text and is not shown: ${size} bytes of ${type}.`;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    text += value ?? "";
    if (done || type.startsWith("text/event-stream")) shown.come(text, done);
    if (done) return "";
  }
}

async function send(form: HTMLFormElement, shown: Shown, signal: AbortSignal): Promise<void> {
  const fields = [...form.querySelectorAll<Field>("[data-in]")];
  const body = form.querySelector<HTMLTextAreaElement>(".body");
  const headers = headersOf(form, fields);
  const sent = body?.value.trim() ? body.value : null;
  if (sent !== null) headers.set("content-type", body?.dataset.type ?? "");
  const started = performance.now();
  const response = await fetch(addressOf(form, fields), { method: form.dataset.method ?? "GET", headers, body: sent, signal });
  shown.head(response, performance.now() - started);
  const note = await read(response, shown);
  shown.end(`${Math.round(performance.now() - started)} ms in all`, note);
}

function prepare(form: HTMLFormElement): void {
  const shown = new Shown(form);
  const button = form.querySelector("[type=submit]") as HTMLButtonElement;
  const stop = form.querySelector(".stop") as HTMLButtonElement;
  const body = form.querySelector<HTMLTextAreaElement>(".body");
  let sending = new AbortController();
  stop.addEventListener("click", () => sending.abort());
  const submit = async (): Promise<void> => {
    const wrong = wrongWith(body);
    body?.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) {
      shown.say("", wrong);
      body?.focus();
      return;
    }
    const name = `${form.dataset.method} ${form.dataset.path}`;
    if ("changes" in form.dataset && !window.confirm(`${name} changes what the service keeps. Send it?`)) {
      shown.say("Not sent.");
      return;
    }
    sending = new AbortController();
    [button.disabled, stop.hidden] = [true, false];
    shown.say("Sent, waiting for the answer");
    try {
      await send(form, shown, sending.signal);
    } catch (error) {
      const why = "The service cannot be reached, or the request cannot be sent. Check the fields, the key and the network.";
      if (sending.signal.aborted) shown.end("stopped");
      else shown.say("", `${why} ${(error as Error).message}`);
    } finally {
      [button.disabled, stop.hidden] = [false, true];
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
}

const keyForm = document.querySelector<HTMLFormElement>("#key-form");
if (keyForm) {
  keyForm.hidden = false;
  keyForm.addEventListener("submit", (event) => event.preventDefault());
}
for (const details of document.querySelectorAll<HTMLDetailsElement>(".try")) {
  prepare(details.querySelector("form") as HTMLFormElement);
  details.hidden = false;
}
