// Highlighted SQL, never parsed as markup. The highlighter is loaded with the first query.
import { lazy, Suspense } from "react";

const Highlighted = lazy(() => import("./Highlighted"));

export function Sql({ text, dialect }: { text: string; dialect: string }) {
  const plain = <code>{text}</code>;
  return (
    <pre className="sql" tabIndex={0} aria-label="SQL">
      <Suspense fallback={plain}>
        <Highlighted text={text} dialect={dialect} />
      </Suspense>
    </pre>
  );
}
