// An error boundary: a part that fails to render, such as one of an older release, does not break the page.
import { Component, type ReactNode } from "react";
import { asProblem } from "../api/client";
import { ProblemView } from "./ProblemView";

export class Guarded extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <ProblemView problem={asProblem(error)} again={() => window.location.reload()} /> : this.props.children;
  }
}
