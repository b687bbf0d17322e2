import type { DatabaseInfo } from "../api/types";

interface Props {
  databases: DatabaseInfo[];
  chosen: string;
  onChoose: (name: string) => void;
}

export function DatabasePicker({ databases, chosen, onChoose }: Props) {
  const found = databases.find((database) => database.name === chosen);
  return (
    <div className="picker">
      <label className="field" htmlFor="database">
        Database
        <select id="database" className="input" value={chosen} onChange={(event) => onChoose(event.target.value)}>
          {databases.map((database) => (
            <option key={database.name} value={database.name} disabled={!database.available}>
              {database.name}
              {database.available ? "" : " (not available)"}
            </option>
          ))}
        </select>
      </label>
      {found ? (
        <p className="small soft">
          {[found.description, found.dialect].filter(Boolean).join(" · ")}
          {found.owners.length ? ` · owner: ${found.owners.join(", ")}` : ""}
        </p>
      ) : null}
      {found?.detail ? <p className="small warned">{found.detail}</p> : null}
    </div>
  );
}
