// Shown before the first question: an introduction and suggested questions.
interface Props {
  database: string;
  questions: string[];
  shared: string;
  /** Whether it is known that no table has a row. */
  empty: boolean;
  onAsk: (question: string) => void;
}

export function Welcome({ database, questions, shared, empty, onAsk }: Props) {
  return (
    <div className="welcome">
      <h1>What would you like to know?</h1>
      <p className="soft">
        {database ? (
          <>
            Ask <strong>{database}</strong> in your own words. Every number in an answer leads to the row or the calculation that
            it comes from.
          </>
        ) : (
          "Loading databases…"
        )}
      </p>
      {shared ? (
        <p role="status" className="panel">
          This question was shared with you. Press Enter to ask it.
        </p>
      ) : null}
      {empty && !questions.length ? (
        <p role="status" className="panel">
          The tables of this database have no rows yet. Add rows to get answers.
        </p>
      ) : null}
      {questions.length ? (
        <ul className="samples" aria-label="Sample questions">
          {questions.map((question) => (
            <li key={question}>
              <button type="button" onClick={() => onAsk(question)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
