// A question as a heading. A long one is cut, and can be shown whole.
import { useState } from "react";

const LONG = 400; // characters; about five lines

interface Props {
  question: string;
  as: "h1" | "h2";
}

export function Asked({ question, as: Heading }: Props) {
  const [whole, setWhole] = useState(false);
  const isLong = question.length > LONG;
  return (
    <div>
      <Heading className={`asked ${isLong && !whole ? "cut" : ""}`} dir="auto">
        {question}
      </Heading>
      {isLong ? (
        <button type="button" className="button small quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </button>
      ) : null}
    </div>
  );
}
