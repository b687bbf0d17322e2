// The running questions of this tab, so that a reloaded page keeps following them.
export interface UnderWay {
  answerId: string;
  question: string;
  startedAt: number;
}

const KEY = "plumbline.asking";

function read(): Record<string, UnderWay> {
  return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, UnderWay>;
}

function write(all: Record<string, UnderWay>): void {
  sessionStorage.setItem(KEY, JSON.stringify(all));
}

export const underWay = {
  of: (sessionId: string): UnderWay | undefined => read()[sessionId],
  keep: (sessionId: string, asked: UnderWay): void => write({ ...read(), [sessionId]: asked }),
  forget: (sessionId: string): void => {
    const { [sessionId]: _, ...others } = read();
    write(others);
  },
};
