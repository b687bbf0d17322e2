// Short names for what the contract describes; `schema.ts` is made from it by `make page`.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type AnswerPart = Schemas["AnswerPart"];
export type Check = Schemas["Check"];
export type Choice = Schemas["Choice"];
export type DatabaseInfo = Schemas["DatabaseInfo"];
export type DatabaseDetail = Schemas["DatabaseDetail"];
export type DatabaseList = Schemas["DatabaseList"];
export type DatabaseSchema = Schemas["DatabaseSchema"];
export type Document = Schemas["ListedDocument"];
export type ExecuteResponse = Schemas["ExecuteResponse"];
export type Problem = Pick<Schemas["Problem"], "type" | "title" | "status" | "detail"> & Partial<Schemas["Problem"]>;
export type Records = Schemas["RecordsResponse"];
export type ReviewDetail = Schemas["ReviewDetail"];
export type ReviewSummary = Schemas["ReviewSummary"];
export type SavedQuery = Schemas["SavedQuery"];
export type Session = Schemas["SessionResponse"];
export type SessionList = Schemas["SessionList"];
export type Share = Schemas["Share"];
export type Shared = Schemas["Shared"];
export type Tile = Schemas["TileResponse"];
export type PutTile = Schemas["PutTileResponse"];
export type Alert = Schemas["Alert"];
export type Table = Schemas["Table"];
export type FirstLook = Schemas["FirstLook"];
export type ReadReport = Schemas["ReadReport"];
export type TableReport = Schemas["TableReport"];
export type Uploaded = Schemas["Uploaded"];
export type UploadRules = Schemas["UploadRules"];

/** The data of each step's event, by the step's name. */
export interface StepData {
  entry: Schemas["Entered"];
  dialect_resolver: Schemas["DialectResolved"];
  schema_selector: Schemas["SchemaSelected"];
  question_planner: Schemas["QuestionPlanned"];
  part_answered: Schemas["PartAnswered"];
  planner: Schemas["Planned"];
  sql_generator: Schemas["SqlGenerated"];
  sql_validator: Schemas["SqlValidated"];
  sql_executor: Schemas["SqlExecuted"];
  sql_repair: Schemas["Repairing"];
  evaluator: Schemas["Evaluated"];
  raw_records: Schemas["RawRecordsFetched"];
  answer_formatter: Schemas["AnswerFormatted"];
  human_review: Schemas["HumanReview"];
}

export type Step = {
  [Node in keyof StepData]: { node: Node; attempt: number; elapsedMs: number; data: StepData[Node] };
}[keyof StepData];

export type Row = Record<string, unknown>;
