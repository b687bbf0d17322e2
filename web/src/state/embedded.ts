// Whether an answer is shown in a page of somebody else.
import { createContext } from "react";

export const Embedded = createContext(false);
