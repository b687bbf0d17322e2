// Answers to review. Reviewers approve the query, correct it, or reject the answer.
import { useState } from "react";
import { asProblem } from "../api/client";
import { useReview, useReviews } from "../api/queries";
import type { ReviewDetail, ReviewSummary } from "../api/types";
import { ProblemView } from "../parts/ProblemView";
import { SettleForm } from "../parts/SettleForm";
import { Sql } from "../parts/Sql";
import { plural, when } from "../state/format";

const STATUSES = ["open", "approved", "corrected", "rejected", ""];
const TONES: Record<string, string> = { open: "warn", approved: "good", corrected: "good", rejected: "bad" };

export function ReviewsView({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
  const [status, setStatus] = useState("open");
  const reviews = useReviews(status);
  return (
    <div className="page">
      <h1>Reviews</h1>
      {id ? (
        <Review id={id} onBack={() => onOpen("")} />
      ) : (
        <>
          <label className="row small soft">
            Show
            <select className="input" value={status} onChange={(event) => setStatus(event.target.value)}>
              {STATUSES.map((one) => (
                <option key={one} value={one}>
                  {one || "all"}
                </option>
              ))}
            </select>
          </label>
          {reviews.error ? <ProblemView problem={asProblem(reviews.error)} again={() => void reviews.refetch()} /> : null}
          {reviews.data?.length === 0 ? <p className="soft">No reviews.</p> : null}
          <ul className="stack">
            {reviews.data?.map((review) => (
              <li key={review.id}>
                <Summary review={review} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Summary({ review, onOpen }: { review: ReviewSummary; onOpen: (id: string) => void }) {
  return (
    <article className="panel" aria-label={review.question}>
      <div className="row spread">
        <h2>
          <button type="button" className="link" onClick={() => onOpen(review.id)}>
            {review.question}
          </button>
        </h2>
        <span className={`tag ${TONES[review.status]}`}>{review.status}</span>
      </div>
      <p className="small soft">
        {review.database} · {review.principal} · {when(review.created_at)} ·{" "}
        {review.kind === "feedback" ? "feedback" : "no accepted attempt"}
      </p>
      {review.errors.map((error) => (
        <p key={error} className="small">
          {error}
        </p>
      ))}
    </article>
  );
}

function Review({ id, onBack }: { id: string; onBack: () => void }) {
  const found = useReview(id);
  const review = found.data;
  return (
    <div className="stack">
      <p>
        <button type="button" className="link" onClick={onBack}>
          All reviews
        </button>
      </p>
      {found.error ? <ProblemView problem={asProblem(found.error)} again={() => void found.refetch()} /> : null}
      {review ? (
        <>
          <div className="row spread">
            <h2>{review.question}</h2>
            <span className={`tag ${TONES[review.status]}`}>{review.status}</span>
          </div>
          <p className="small soft">
            {review.database} · {review.principal} · {when(review.created_at)}
          </p>
          <p>{review.answer}</p>
          <Attempts review={review} />
          <Said review={review} />
          {review.status !== "open" ? <Settled review={review} /> : null}
          {review.status === "open" && review.may_settle ? <SettleForm review={review} /> : null}
          {review.status === "open" && !review.may_settle ? (
            <p className="soft">Awaiting a reviewer of {review.database}.</p>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

function Attempts({ review }: { review: ReviewDetail }) {
  return (
    <ol className="stack" aria-label="Attempts">
      {review.attempts.map((attempt, at) => (
        <li key={at} className="panel">
          <p className="small soft">
            Attempt {at + 1}
            {attempt.row_count == null ? "" : ` · ${plural(attempt.row_count, "row")}`}
          </p>
          {attempt.sql ? <Sql text={attempt.sql} dialect="" /> : null}
          {attempt.error ? <p className="bad-text">{attempt.error}</p> : null}
          {attempt.reason ? <p className={attempt.correct ? "" : "bad-text"}>{attempt.reason}</p> : null}
        </li>
      ))}
    </ol>
  );
}

function Said({ review }: { review: ReviewDetail }) {
  const feedback = review.feedback;
  if (!feedback) return null;
  return (
    <div className="panel">
      <p>
        <strong>{feedback.by}</strong> marked this answer as {feedback.correct ? "correct" : "incorrect"}.
      </p>
      {feedback.comment ? <p>{feedback.comment}</p> : null}
      {feedback.corrected_sql ? <Sql text={feedback.corrected_sql} dialect="" /> : null}
    </div>
  );
}

function Settled({ review }: { review: ReviewDetail }) {
  const settlement = review.settlement;
  return settlement ? (
    <div className="panel">
      <p>
        {settlement.by}, {when(settlement.at)}: {review.status}. {settlement.comment}
      </p>
      {settlement.sql ? <Sql text={settlement.sql} dialect="" /> : null}
    </div>
  ) : null;
}
