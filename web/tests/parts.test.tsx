import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { LookView, refusal } from "../src/parts/AddData";
import { Asked } from "../src/parts/Asked";
import { AnswerText } from "../src/parts/AnswerText";
import { AnswerView } from "../src/parts/AnswerView";
import { Checks } from "../src/parts/Checks";
import { Composer } from "../src/parts/Composer";
import { Guarded } from "../src/parts/Guarded";
import { ProblemView } from "../src/parts/ProblemView";
import { ReadReportView, howRead } from "../src/parts/ReadReportView";
import { RowsTable } from "../src/parts/RowsTable";
import { Steps } from "../src/parts/Steps";
import { Tabs } from "../src/parts/Tabs";
import { UndoNotice } from "../src/parts/UndoNotice";
import { Welcome } from "../src/views/Welcome";
import { hasNoRows } from "../src/state/rows";
import { type Deleted, UNDO_MS, useDeletion } from "../src/state/useDeletion";
import type { Answer, Check, Table } from "../src/api/types";
import { answerOf, partOf } from "./answers";
import { markdownOf } from "../src/state/share";

type Doubt = Answer["doubts"][number];

describe("an answer", () => {
  it.each([
    ["about_data", "About the data"],
    ["small_talk", "Plumbline"],
  ] as const)("of the kind %s is neither verified nor not verified, and wants no feedback", (kind, tag) => {
    const answer = answerOf({ kind, verified: false, sql: null, results: [], columns: [], row_count: 0, numbers: [] });
    render(<AnswerView answer={answer} question="hello" database="shop" tables={[]} elapsedMs={5} onAsk={vi.fn()} />);
    expect(screen.getByText(tag)).toBeTruthy();
    expect(screen.queryByText("Not verified")).toBeNull();
    expect(screen.queryByRole("button", { name: /right/i })).toBeNull();
    expect(screen.queryByRole("tab")).toBeNull();
  });
});

describe("an answer of several queries", () => {
  const failed = partOf(2, { status: "error", answer: "There is no table weather.", verified: false, sql: null, results: [], columns: [], row_count: 0 });
  const answer = answerOf({
    answer: "The revenue was 80. [1]",
    sql: null,
    results: [],
    columns: [],
    row_count: 0,
    verified: false,
    numbers: [{ text: "80", start: 16, end: 18, source: "result", row: 0, column: "total", expression: "", part: 1 }],
    parts: [partOf(1), failed],
  });
  const view = () =>
    render(
      <QueryClientProvider client={new QueryClient()}>
        <AnswerView answer={answer} question="why?" database="shop" tables={[]} elapsedMs={5} onAsk={vi.fn()} />
      </QueryClientProvider>,
    );

  it("shows each with its standing, and why one has no answer", () => {
    view();
    const [one, two] = within(screen.getByRole("list", { name: "Queries" })).getAllByRole("listitem");
    expect(one?.textContent).toMatch(/\[1\] What was the revenue in month 1\?\s+Verified/);
    expect(two?.textContent).toContain("No answer");
    expect(two?.textContent).toContain("There is no table weather.");
    expect(screen.queryByRole("tab")).toBeNull();
  });

  it("a number opens the query whose rows hold it", async () => {
    view();
    await userEvent.click(screen.getByRole("button", { name: "80" }));
    expect(screen.getByText(/From row 1, total of \[1\]/)).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Rows 1" }).getAttribute("aria-selected")).toBe("true");
    expect(screen.getByRole("table", { name: "Rows of the answer" })).toBeTruthy();
  });

  it("is shared with every query", () => {
    const text = markdownOf(answer, "why?", "https://example.test");
    expect(text).toContain("**\\[1\\] What was the revenue in month 1?**");
    expect(text).toContain("| total |");
    expect(text).toContain("SELECT SUM(amount) AS total FROM orders");
  });
});

describe("a question back about what the data lacks", () => {
  it("can be asked anyway", async () => {
    const ask = vi.fn();
    const answer = answerOf({ status: "clarification_needed", clarification_reason: "missing_data", choices: [] });
    render(<AnswerView answer={answer} question="hotels?" database="shop" tables={[]} elapsedMs={5} onAsk={ask} />);
    await userEvent.click(screen.getByRole("button", { name: "Ask anyway" }));
    expect(ask).toHaveBeenCalledWith("Ask anyway");
  });
});

describe("a warning", () => {
  it("is not said again where a doubt says it", () => {
    const detail = "“score” was taken to mean fee.";
    const doubts = [{ rule: "missing_data", evidence: "language" as const, detail }];
    const answer = answerOf({ verified: false, doubts, warnings: [detail, "There are more rows."] });
    render(
      <QueryClientProvider client={new QueryClient()}>
        <AnswerView answer={answer} question="scores?" database="shop" tables={[]} elapsedMs={5} onAsk={vi.fn()} />
      </QueryClientProvider>,
    );
    expect(document.querySelector(".checks-reason")?.textContent).toBe(detail);
    expect([...document.querySelectorAll(".warned")].map((one) => one.textContent)).toEqual(["There are more rows."]);
  });
});

describe("small talk", () => {
  it("has its examples as buttons, and not in the text again", async () => {
    const ask = vi.fn();
    const question = "How many orders are there?";
    const answer = answerOf({
      kind: "small_talk",
      answer: `Hello!\nFor example:\n- ${question}`,
      choices: [{ label: question, question }],
      sql: null,
      results: [],
      numbers: [],
    });
    render(<AnswerView answer={answer} question="hello" database="shop" tables={[]} elapsedMs={5} onAsk={ask} />);
    expect(screen.getAllByText(question)).toHaveLength(1);
    expect(screen.queryByText("You could ask instead:")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: question }));
    expect(ask).toHaveBeenCalledWith(question);
  });
});

describe("a clarification", () => {
  it("has dates as the rest of the page", () => {
    const choices = [{ label: "from 2024-01-31", question: "How many orders from 2024-01-31?" }];
    const answer = answerOf({ status: "clarification_needed", answer: "The orders end on 2024-06-30.\n- from 2024-01-31", choices });
    render(<AnswerView answer={answer} question="recent?" database="shop" tables={[]} elapsedMs={5} onAsk={vi.fn()} />);
    expect(screen.getByText("The orders end on Jun 30, 2024.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "from Jan 31, 2024" })).toBeTruthy();
  });
});

describe("a question", () => {
  it("is cut if it is long, and shown whole on demand", async () => {
    render(<Asked question={"word ".repeat(1000)} as="h2" />);
    const heading = screen.getByRole("heading");
    expect(heading.classList.contains("cut")).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Show all" }));
    expect(heading.classList.contains("cut")).toBe(false);
    expect(screen.getByRole("button", { name: "Show less" }).getAttribute("aria-expanded")).toBe("true");
  });

  it("stands whole if it is short", () => {
    render(<Asked question="How many?" as="h1" />);
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the start", () => {
  const welcome = (empty: boolean, questions: string[]) =>
    render(<Welcome database="own" questions={questions} shared="" empty={empty} onAsk={vi.fn()} />);

  it("says that there are no rows", () => {
    welcome(hasNoRows([{ name: "a", row_count: 0 } as Table]), []);
    expect(screen.getByRole("status").textContent).toContain("no rows yet");
  });

  it.each([[[]], [[{ name: "a" }]], [[{ name: "a", row_count: 0 }, { name: "b", row_count: 2 }]]])(
    "says nothing of rows where there are some, or nobody knows: %o",
    (tables) => {
      welcome(hasNoRows(tables as Table[]), []);
      expect(screen.queryByRole("status")).toBeNull();
    },
  );
});

describe("where no query answered", () => {
  it("the suggestions are buttons, and not in the text again", async () => {
    const ask = vi.fn();
    const questions = ["How many orders are there?", "How many customers are there?"];
    const answer = answerOf({
      status: "error",
      answer: `I could not answer this from the data.\nYou could ask instead:\n${questions.map((it) => `- ${it}`).join("\n")}`,
      choices: questions.map((question) => ({ label: question, question })),
      sql: null,
      results: [],
      numbers: [],
    });
    render(<AnswerView answer={answer} question="hotels?" database="shop" tables={[]} elapsedMs={5} onAsk={ask} />);
    expect(screen.getAllByText(/How many orders are there\?/)).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "How many customers are there?" }));
    expect(ask).toHaveBeenCalledWith("How many customers are there?");
    expect(screen.queryByRole("button", { name: "Share" })).toBeNull();
  });
});

describe("a deletion", () => {
  function Deleting({ remove }: { remove: (item: Deleted) => void }) {
    const deletion = useDeletion(remove);
    return (
      <>
        <UndoNotice deletion={deletion} />
        <button type="button" onClick={() => deletion.request({ id: "1", name: "One" })}>
          Delete one
        </button>
        <button type="button" onClick={() => deletion.request({ id: "2", name: "Two" })}>
          Delete two
        </button>
      </>
    );
  }

  it("is undone by a click, and then never made", async () => {
    const remove = vi.fn();
    const { unmount } = render(<Deleting remove={remove} />);
    await userEvent.click(screen.getByRole("button", { name: "Delete one" }));
    expect(screen.getByRole("status").textContent).toContain("Deleted “One”.");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Undo" }));
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    unmount();
    expect(remove).not.toHaveBeenCalled();
  });

  it("is made once another follows, and once the page is left", async () => {
    const remove = vi.fn();
    render(<Deleting remove={remove} />);
    await userEvent.click(screen.getByRole("button", { name: "Delete one" }));
    expect(remove).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Delete two" }));
    window.dispatchEvent(new Event("pagehide"));
    expect(remove.mock.calls).toEqual([[{ id: "1", name: "One" }], [{ id: "2", name: "Two" }]]);
  });

  it("is made where nobody undoes it in time", () => {
    vi.useFakeTimers();
    const remove = vi.fn();
    render(<Deleting remove={remove} />);
    fireEvent.click(screen.getByRole("button", { name: "Delete one" }));
    act(() => void vi.advanceTimersByTime(UNDO_MS));
    expect(remove).toHaveBeenCalledOnce();
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    vi.useRealTimers();
  });
});

describe("the records behind an answer", () => {
  const grouped = answerOf({
    answer: "Spain has 1.200 customers.",
    results: [
      { country: "Spain", customers: 1200 },
      { country: null, customers: 7 },
    ],
    row_count: 2,
    language: "de",
    raw_sql: "SELECT country, id FROM customers",
    raw_results: [{ country: "Spain", id: 1 }],
    raw_truncated: true,
    raw_total: 1207,
    group_columns: ["country"],
    numbers: [{ text: "1.200", start: 10, end: 15, source: "result", row: 0, column: "customers", expression: "" }],
  });

  function shown(answer = grouped) {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    render(
      <QueryClientProvider client={client}>
        <AnswerView answer={answer} question="q" database="shop" tables={[]} elapsedMs={5} onAsk={vi.fn()} />
      </QueryClientProvider>,
    );
  }

  it("are those of a number's own row, where somebody asks for them", async () => {
    const found = { columns: ["country", "id"], rows: [["Spain", 1]], row_count: 1, truncated: false, total: 1, sql: "S", reason: "" };
    const fetched = vi.fn(async () => new Response(JSON.stringify(found), { status: 200 }));
    vi.stubGlobal("fetch", fetched);
    shown();
    await userEvent.click(screen.getByRole("button", { name: "1,200" }));
    await userEvent.click(screen.getByRole("button", { name: "Show source records" }));
    expect(await screen.findByRole("table", { name: "Records of country: Spain" })).toBeTruthy();
    const [path, sent] = fetched.mock.calls[0] as unknown as [string, RequestInit];
    expect(path).toBe("./api/records");
    expect(JSON.parse(String(sent.body))).toEqual({
      database: "shop",
      sql: "SELECT country, customers FROM t",
      row: { country: "Spain", customers: 1200 },
    });
    await userEvent.click(screen.getByRole("button", { name: "All source records" }));
    expect(screen.getByText("Showing the first 1 of 1,207 records.")).toBeTruthy();
    vi.unstubAllGlobals();
  });

  it("are counted whole, and not offered where a row has none of its own", async () => {
    shown(answerOf({ ...grouped, group_columns: null }));
    expect(screen.getByRole("tab", { name: "Source records 1,207" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "1,200" }));
    expect(screen.queryByRole("button", { name: "Show source records" })).toBeNull();
  });
});

describe("the confidence of an answer", () => {
  it.each([
    [0.873, "87% confidence"],
    [0.31, "31% confidence"],
    [1, "99% confidence"],
  ])("stands beside its checks: %o", (confidence, said) => {
    render(<Checks checks={[{ name: "guard", passed: true, detail: "" }]} doubts={[]} confidence={confidence} verified />);
    expect(screen.getByText(said)).toBeTruthy();
  });

  it("is left out where nobody knows", () => {
    render(<Checks checks={[{ name: "guard", passed: true, detail: "" }]} doubts={[]} confidence={null} verified />);
    expect(screen.queryByText(/confidence$/)).toBeNull();
  });
});

describe("the checks", () => {
  const passed = { name: "guard", passed: true, detail: "One statement." };
  const failed = { name: "grounding", passed: false, detail: "Not supported: 12." };
  const skipped = { name: "own_rule", passed: null, detail: "Not asked." };
  const doubt: Doubt = { rule: "fan_out", evidence: "schema", detail: "A join repeats rows." };

  const shownFor = (checks: Check[], doubts: Doubt[] = [], verified = true) =>
    render(<Checks checks={checks} doubts={doubts} confidence={null} verified={verified} />).container;
  const reason = (container: HTMLElement) => container.querySelector(".checks-reason")?.textContent ?? "";
  const isTicked = () => screen.getByRole("button").classList.contains("good");

  it("stand on one line, which opens to each of them", async () => {
    const container = shownFor([passed, skipped]);
    const line = screen.getByRole("button", { name: "1 check passed, 1 skipped" });
    expect(line.getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByRole("list")).toBeNull();
    expect([isTicked(), reason(container)]).toEqual([true, ""]);
    await userEvent.click(line);
    const items = within(screen.getByRole("list", { name: "Checks" })).getAllByRole("listitem");
    expect(items.map((item) => item.textContent)).toEqual(["Read-only passed. One statement.", "Own rule skipped. Not asked."]);
  });

  it("name what failed without being opened", async () => {
    const container = shownFor([passed, failed], [], false);
    expect(screen.getByRole("button").textContent).toBe("1 check failed, 1 passed");
    expect([isTicked(), reason(container)]).toEqual([false, "Not supported: 12."]);
    await userEvent.click(screen.getByRole("button"));
    expect(reason(container)).toBe(""); // the list has it
    expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "Numbers traced failed. Not supported: 12.",
      "Read-only passed. One statement.",
    ]);
  });

  it("have no tick beside a doubt, which is said at once and comes first", async () => {
    const wording: Doubt = { rule: "unread", evidence: "language", detail: "A word is not read." };
    const container = shownFor([passed], [wording, doubt]);
    expect(screen.getByRole("button").textContent).toBe("1 check passed · 2 doubts");
    expect([isTicked(), reason(container)]).toEqual([false, "A join repeats rows."]);
    await userEvent.click(screen.getByRole("button"));
    expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "Doubt from the schema. A join repeats rows.",
      "Doubt from the wording. A word is not read.",
      "Read-only passed. One statement.",
    ]);
  });

  it.each([
    [[{ name: "second_draft", passed: null, detail: "No other draft was written." }], "No other draft was written."],
    [[{ name: "raw_records", passed: null, detail: "Not fetched." }], "No other draft and no judge confirmed these rows."],
  ])("never leave an answer unverified without a reason: %o", (checks, expected) => {
    const container = shownFor([passed, ...checks], [], false);
    expect([isTicked(), reason(container)]).toEqual([false, expected]);
  });
});

describe("the sentence", () => {
  it("has each number as a button that leads to its row", async () => {
    const show = vi.fn();
    const answer = answerOf();
    render(<AnswerText answer={answer} onShow={show} />);
    await userEvent.click(screen.getByRole("button", { name: "12" }));
    expect(show).toHaveBeenCalledWith(answer.numbers[0]);
    expect(screen.getByRole("status").textContent).toBe("12 From row 1, customers.");
  });

  it("shows a number that nothing supports as such, and leads nowhere", async () => {
    const show = vi.fn();
    const numbers = [{ text: "12", start: 10, end: 12, source: null, expression: "" }];
    render(<AnswerText answer={answerOf({ numbers })} onShow={show} />);
    const number = screen.getByRole("button", { name: "12" });
    expect(number.classList.contains("untraced")).toBe(true);
    await userEvent.click(number);
    expect(show).not.toHaveBeenCalled();
  });

  it("writes the numbers of each query as its table does", () => {
    const place = { start: 0, source: "result", row: 0, column: "total", expression: "" } as const;
    const answer = answerOf({
      answer: "61885.6 [1]",
      columns: [],
      results: [],
      parts: [partOf(1, { results: [{ total: 61885.6 }], sql: "SELECT SUM(amount) AS total FROM orders" })],
      numbers: [{ ...place, text: "61885.6", end: 7, part: 1 }],
    });
    const column = { name: "amount", type: "DECIMAL(10, 2)", nullable: true, comment: "", samples: [], private: false };
    const tables = [{ name: "orders", columns: [column] }] as unknown as Table[];
    render(<AnswerText answer={answer} tables={tables} onShow={vi.fn()} />);
    expect(screen.getByRole("button", { name: "61,885.60" })).toBeTruthy();
  });

  it("is text, whatever it says", () => {
    const { container } = render(<AnswerText answer={answerOf({ answer: "<b>x</b>", numbers: [] })} onShow={vi.fn()} />);
    expect(container.querySelector("b")).toBeNull();
    expect(screen.getByText("<b>x</b>")).toBeTruthy();
  });
});

describe("a problem", () => {
  it("is said with what to do, its fields and its trace", async () => {
    const again = vi.fn();
    const errors = [
      { field: "question", message: "is empty" },
      { field: "database", message: "is missing" },
    ];
    const problem = { type: "x", title: "Invalid", status: 422, detail: "Mend it.", hint: "Say more.", trace_id: "f00", errors };
    render(<ProblemView problem={problem} again={again} />);
    const alert = screen.getByRole("alert");
    for (const said of ["Invalid", "Mend it.", "Say more.", "f00", "is empty"]) expect(alert.textContent).toContain(said);
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(again).toHaveBeenCalledOnce();
  });
});

describe("tabs", () => {
  it("are moved between by arrows, Home and End", async () => {
    const choose = vi.fn();
    const tabs = ["one", "two", "three"].map((id) => ({ id, title: id, panel: () => <p>{id}</p> }));
    render(<Tabs tabs={tabs} chosen="one" onChoose={choose} label="Parts" />);
    screen.getByRole("tab", { name: "one" }).focus();
    await userEvent.keyboard("{ArrowRight}{ArrowLeft}{End}");
    expect(choose.mock.calls.map(([id]) => id)).toEqual(["two", "three", "three"]);
    expect(screen.getByRole("tabpanel").textContent).toBe("one");
  });

  it("leave a panel as it was left", async () => {
    const tabs = ["one", "two"].map((id) => ({ id, title: id, panel: () => <input aria-label={id} /> }));
    const { rerender } = render(<Tabs tabs={tabs} chosen="one" onChoose={vi.fn()} label="Parts" />);
    await userEvent.type(screen.getByRole("textbox"), "half a word");
    rerender(<Tabs tabs={tabs} chosen="two" onChoose={vi.fn()} label="Parts" />);
    expect(screen.getAllByRole("tabpanel")).toHaveLength(1);
    rerender(<Tabs tabs={tabs} chosen="one" onChoose={vi.fn()} label="Parts" />);
    expect(screen.getByRole<HTMLInputElement>("textbox").value).toBe("half a word");
  });
});

describe("a part that fails while it is drawn", () => {
  it("is told as a problem, and takes nothing else with it", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined); // where React tells of it as well
    const Failing = () => {
      throw new Error("The part is not there.");
    };
    render(
      <>
        <p>The rest</p>
        <Guarded>
          <Failing />
        </Guarded>
      </>,
    );
    expect(screen.getByRole("alert").textContent).toContain("The part is not there. Reload the page.");
    expect(screen.getByText("The rest")).toBeTruthy();
    vi.restoreAllMocks();
  });
});

describe("the composer", () => {
  const props = { text: "How many?", onText: vi.fn(), onStop: vi.fn(), follows: false, field: { current: null } };

  it("asks by Enter, and begins a line by Shift and Enter", async () => {
    const asked = vi.fn();
    render(<Composer {...props} onAsk={asked} busy={false} ready />);
    screen.getByLabelText("Your question").focus();
    await userEvent.keyboard("{Shift>}{Enter}{/Shift}");
    expect(asked).not.toHaveBeenCalled();
    await userEvent.keyboard("{Enter}");
    expect(asked).toHaveBeenCalledOnce();
  });

  it("asks nothing while something is asked, or before it is known whom to ask", async () => {
    const asked = vi.fn();
    const { rerender } = render(<Composer {...props} onAsk={asked} busy ready />);
    screen.getByLabelText("Your question").focus();
    await userEvent.keyboard("{Enter}");
    expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
    rerender(<Composer {...props} onAsk={asked} busy={false} ready={false} />);
    await userEvent.keyboard("{Enter}");
    expect(asked).not.toHaveBeenCalled();
  });
});

describe("the steps", () => {
  it("show a query that is being written, and say that nothing has checked it", () => {
    render(<Steps steps={[]} writing="SELECT city" dialect="sqlite" />);
    expect(screen.getByText("Not yet checked")).toBeTruthy();
    expect(screen.getByText("Writing the query", { exact: false })).toBeTruthy();
  });

  it("show the first rows as soon as they are there, before anything is said of them", () => {
    const rows = [1, 2, 3, 4, 5, 6, 7].map((n) => [`City ${n}`, n * 1000]);
    const data = { columns: ["city", "n"], rows, row_count: 7, truncated: false, error: null, error_type: null, part: 0 };
    render(<Steps steps={[{ node: "sql_executor", attempt: 1, elapsedMs: 2, data }]} writing="" dialect="sqlite" />);
    const table = screen.getByRole("table");
    expect(within(table).getAllByRole("row")).toHaveLength(6); // its head, and five
    expect(within(table).getByText("City 5")).toBeTruthy();
    expect(screen.getByText("and 2 more rows")).toBeTruthy();
  });

  it("say which query they are of", () => {
    const at = { attempt: 0, elapsedMs: 3 };
    render(
      <Steps
        dialect="sqlite"
        writing=""
        steps={[
          { node: "question_planner", ...at, data: { questions: ["In March?", "In April?"], calculations: [] } as never },
          { node: "part_answered", ...at, data: { part: 2, question: "In April?", status: "error", answer: "There is no April." } as never },
        ]}
      />,
    );
    const list = screen.getByRole("list").textContent;
    for (const said of ["Planned 2 queries", "[2] In April?", "[2] Not answered", "There is no April."]) expect(list).toContain(said);
  });

  it("tell what failed and why", () => {
    const at = { attempt: 1, elapsedMs: 3 };
    render(
      <Steps
        dialect="sqlite"
        writing="SELECT co"
        steps={[
          { node: "sql_validator", ...at, data: { sql: "x", passed: false, error: "There is no column x.", error_type: "COLUMN_NOT_FOUND" } as never },
          { node: "evaluator", ...at, data: { verdict: { reason: "All months.", correct: false, source: "judge" }, checks: [] } as never },
          { node: "sql_repair", ...at, data: { error: "All months.", hint: "Ask for one.", error_type: "JUDGED_WRONG" } as never },
        ]}
      />,
    );
    const list = screen.getByRole("list");
    for (const said of ["Query rejected", "There is no column x.", "Rejected by the judge", "Retrying", "Ask for one."])
      expect(list.textContent).toContain(said);
    expect(screen.getByLabelText("SQL").textContent).toBe("SELECT co");
  });
});

describe("a verdict", () => {
  const said = (verdict: object | null, checks: object[] = []) => {
    const { container } = render(
      <Steps dialect="sqlite" writing="" steps={[{ node: "evaluator", attempt: 1, elapsedMs: 3, data: { verdict, checks } as never }]} />,
    );
    return container.textContent;
  };

  it("names who decided", () => {
    expect(said({ reason: "Alike.", correct: true, source: "drafts" })).toContain("Accepted by the drafts");
    expect(said({ reason: "It adds up.", correct: true, source: "judge" })).toContain("Accepted by the judge");
    expect(said({ reason: "No rows.", correct: false, source: "checks" })).toContain("Rejected by a check");
  });

  it("tells why nobody decided", () => {
    const disagree = { name: "second_draft", passed: false, detail: "3 drafts give 3 different results." };
    expect(said(null, [disagree])).toContain("3 drafts give 3 different results.");
    expect(said(null)).toContain("Not judged");
  });
});

describe("a table", () => {
  const rows = Array.from({ length: 250 }, (_, n) => ({ name: `n${n % 5}`, total: n, note: n ? "x" : null }));

  it("sorts by a click, the largest first", async () => {
    render(<RowsTable columns={["name", "total", "note"]} rows={rows} label="Rows" />);
    const column = () => screen.getByRole("columnheader", { name: /total/ });
    await userEvent.click(within(column()).getByRole("button"));
    expect(column().getAttribute("aria-sort")).toBe("descending");
  });

  it("shows a row that is asked for, though a search hides it, and lets it be hidden after that", async () => {
    const table = (marked: object | null) => (
      <RowsTable columns={["name", "total"]} rows={rows} label="Rows" marked={marked as never} />
    );
    const { rerender } = render(table(null));
    await userEvent.type(screen.getByLabelText("Search rows"), "n3");
    rerender(table({ row: 7, column: "total", at: 1 }));
    expect(await screen.findByText("250 rows")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Search rows"), "n3");
    expect(screen.getByText("50 of 250 rows")).toBeTruthy();
  });

  it("filters and pages", async () => {
    render(<RowsTable columns={["name", "total"]} rows={rows} label="Rows" />);
    expect(screen.getByText("Page 1 of 3")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Next" }));
    expect(screen.getByText("Page 2 of 3")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Search rows"), "n3");
    expect(screen.getByText("50 of 250 rows")).toBeTruthy();
    expect(screen.getByText("Page 1 of 1")).toBeTruthy();
  });
});

describe("data of one's own", () => {
  const rules = { max_bytes: 100_000_000, types: ["csv", "csv.gz", "zip"], days: 30, most: 20 };

  it("is refused before it is sent where its type or its size is not taken", () => {
    expect(refusal({ name: "Sales 2024.CSV", size: 100_000_000 }, rules)).toBeNull();
    expect(refusal({ name: "sales.csv.gz", size: 1 }, rules)).toBeNull();
    expect(refusal({ name: "tool.exe", size: 1 }, rules)?.problem.detail).toContain("csv, csv.gz, zip");
    expect(refusal({ name: "csv", size: 1 }, rules)).not.toBeNull();
    expect(refusal({ name: "sales.csv", size: 2_000_000_000 }, rules)?.problem.detail).toContain("larger than 100 MB");
  });

  it("is looked at: tables, keys, and questions that are asked with a click", async () => {
    const ask = vi.fn();
    const key = { columns: ["customer_id"], table: "customers", referenced: ["customer_id"] };
    const orders = { name: "orders", rows: 5, columns: 4, primary_key: ["order_id"], foreign_keys: [key] };
    const question = "What is the total amount of orders for each status?";
    render(<LookView look={{ tables: [orders], questions: [question] }} onAsk={ask} />);
    expect(screen.getByText(/5 rows, 4 columns; key order_id; customer_id → customers/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: question }));
    expect(ask).toHaveBeenCalledWith(question);
  });

  it("says of each column what was read and what was not", () => {
    const column = { name: "Menge", type: "VARCHAR", note: "", values: 59, empty: 1, unlike: 3, like: "numbers" as const };
    const table = { table: "sales", files: ["sales.csv"], encoding: "cp1252", delimiter: ";", decimal: ",", rows: 60, columns: [column], problems: [] };
    render(<ReadReportView report={{ database: "own", tables: [table], problems: ["bad.csv is not text."] }} />);
    expect(howRead(table)).toEqual(["sales.csv", "60 rows", "cp1252", "semicolon between fields", "decimal comma"]);
    expect(screen.getByText("bad.csv is not text.")).toBeTruthy();
    expect(screen.getByText(/Kept as text: not numbers: 3 of 59 values\./)).toBeTruthy();
    expect(screen.getByRole("row", { name: /Menge varchar 59 1/ })).toBeTruthy();
    expect(screen.getAllByRole("columnheader").map((one) => one.textContent)).toEqual(["Column", "Type", "Values", "Empty"]);
  });
});
