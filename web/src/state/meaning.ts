// What the numbers of a column are, if they are no plain amounts.

export type Named = "year" | "month";
/** `hundredths`: amounts with two decimals, as money has them, be the last ones zeros. */
export type Meaning = Named | "hundredths";
export type Meanings = Record<string, Meaning>;

/** Whether numbers of that meaning are names, not quantities. */
export function isName(meaning: Meaning | undefined): boolean {
  return meaning === "year" || meaning === "month";
}
