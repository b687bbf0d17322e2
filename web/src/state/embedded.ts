// Whether an answer is shown in an embedding page.
import { createContext } from "react";

export const Embedded = createContext(false);
