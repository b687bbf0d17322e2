"""Clients that other tools generate from the contract: generated, compiled, and run against a service.

    python -m testbed.clients PYTHON

PYTHON is that of an environment with requirements-clients.txt: `make clients`. Python by openapi-python-client,
TypeScript by openapi-typescript and tsc where Node.js and the page's packages are there, and Java by openapi-generator
and javac where there is a JDK. PySpark contains the Java client's dependencies, such as Jackson.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent.api.app import contract
from bench.endpoint import started
from bench.synthetic_file import Case
from testbed.service_process import ROOT, ServiceProcess

QUESTION, SQL = "How many orders are there?", "SELECT COUNT(*) AS orders FROM orders"
FOUND = [{"orders": 2}]
NODE_TOOLS = ROOT / "web" / "node_modules" / ".bin"
_PYTHON = f"""
import json, sys
from plumbline_client import Client
from plumbline_client.api.query import query
from plumbline_client.models import Problem, QueryRequest

client = Client(base_url=sys.argv[1])
answer = query.sync(client=client, body=QueryRequest(question={QUESTION!r}, database="orders"))
problem = query.sync(client=client, body=QueryRequest(question={QUESTION!r}, database="none"))
assert isinstance(problem, Problem) and problem.status == 404, problem
print(json.dumps([row.to_dict() for row in answer.results]))
"""
_TYPESCRIPT = f"""
import type {{ paths }} from "./schema";
type Query = paths["/api/query"]["post"];
declare const process: {{ argv: string[] }};
const body: Query["requestBody"]["content"]["application/json"] = {{ question: "{QUESTION}", database: "orders" }};
const response = await fetch(process.argv[2] + "/api/query", {{
  method: "POST",
  headers: {{ "content-type": "application/json" }},
  body: JSON.stringify(body),
}});
const answer = (await response.json()) as Query["responses"][200]["content"]["application/json"];
console.log(JSON.stringify(answer.results));
export {{}};
"""
_JAVA = f"""
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.QueryApi;
import org.openapitools.client.model.Answer;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.QueryRequest;

public class Main {{
  public static void main(String[] arguments) throws Exception {{
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    QueryApi queries = new QueryApi(client);
    Answer answer = queries.query(new QueryRequest().question("{QUESTION}").database("orders"), null, null);
    try {{
      queries.query(new QueryRequest().question("{QUESTION}").database("none"), null, null);
      throw new AssertionError("a database that is not there was asked");
    }} catch (ApiException refused) {{
      Problem problem = client.getObjectMapper().readValue(refused.getResponseBody(), Problem.class);
      if (problem.getStatus() != 404) throw new AssertionError(problem);
    }}
    System.out.println(client.getObjectMapper().writeValueAsString(answer.getResults()));
  }}
}}
"""
_JARS = ("jackson-annotations-2", "jackson-core-2", "jackson-databind-2", "jackson-datatype-jsr310", "jsr305",
         "jakarta.annotation-api")  # fmt: skip


def python_client(python: str, document: Path, folder: Path) -> list[str]:
    """Generate and compile the Python client; the command that uses it, without the address.

    Raises:
        subprocess.CalledProcessError: it cannot be generated without a warning, or not be compiled.
    """
    generator = str(Path(python).parent / "openapi-python-client")
    made = [generator, "generate", "--path", str(document), "--output-path", str(folder), "--fail-on-warning"]
    _run([*made, "--meta", "none"], folder.parent)
    package = folder.rename(folder.parent / "plumbline_client")
    _run([python, "-m", "compileall", "-q", str(package)], folder.parent)
    return [python, "-c", _PYTHON]


def typescript_client(document: Path, folder: Path) -> list[str]:
    """Generate the types, and compile a program that uses them; the command that runs it, without the address.

    Raises:
        subprocess.CalledProcessError: they cannot be generated or compiled.
    """
    folder.mkdir()
    (folder / "main.ts").write_text(_TYPESCRIPT, encoding="utf-8")
    options = ["--default-non-nullable=false", "-o", str(folder / "schema.ts")]  # fields with a default are optional
    _run([str(NODE_TOOLS / "openapi-typescript"), str(document), *options], folder)
    strict = ["--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler"]
    compiled = [*strict, "--lib", "es2022,dom", str(folder / "main.ts")]
    _run([str(NODE_TOOLS / "tsc"), *compiled], folder)
    return ["node", str((folder / "main.js").rename(folder / "main.mjs"))]


def java_client(python: str, document: Path, folder: Path) -> list[str]:
    """Generate and compile the Java client, and a program that uses it; the command that runs it, without the address.

    The generator's own check of the document is left out: it takes the body of a link for an error unless it is text,
    where OpenAPI allows any value.

    Raises:
        subprocess.CalledProcessError: it cannot be generated or compiled.
    """
    generator = str(Path(python).parent / "openapi-generator-cli")
    options = ["--library", "native", "--additional-properties", "openApiNullable=false,useJakartaEe=true"]
    made = [generator, "generate", "-g", "java", "-i", str(document), "-o", str(folder), "--skip-validate-spec"]
    _run([*made, *options], folder.parent)
    (folder / "Main.java").write_text(_JAVA, encoding="utf-8")
    sources = [str(path) for path in (folder / "src" / "main" / "java").rglob("*.java")]
    classes = os.pathsep.join((str(folder / "classes"), *map(str, _jars())))
    compiled = ["-d", str(folder / "classes"), "-cp", classes, str(folder / "Main.java"), *sources]
    _run(["javac", "-nowarn", "-encoding", "UTF-8", *compiled], folder)
    return ["java", "-cp", classes, "Main"]


def _jars() -> list[Path]:
    import pyspark

    folder = Path(pyspark.__file__).parent / "jars"
    return [path for name in _JARS for path in folder.glob(f"{name}*.jar")]


def main(arguments: Sequence[str]) -> int:
    """Print what each client got; 0 where all of them got the rows."""
    with tempfile.TemporaryDirectory(prefix="plumbline-clients-") as made:
        folder = Path(made)
        document = folder / "openapi.json"
        document.write_text(json.dumps(contract()), encoding="utf-8")
        commands = {"Python": python_client(arguments[0], document, folder / "client")}
        if shutil.which("node") and (NODE_TOOLS / "openapi-typescript").exists():
            commands["TypeScript"] = typescript_client(document, folder / "typescript")
        if shutil.which("javac"):
            commands["Java"] = java_client(arguments[0], document, folder / "java")
        (folder / "orders.csv").write_text("order_id,amount\n1,2.5\n2,3.5\n", encoding="utf-8")
        (folder / "databases.yaml").write_text("orders: orders.csv\n", encoding="utf-8")
        with started([Case(QUESTION, SQL)], folder) as url:
            environment = {
                "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "PLUMBLINE_EMBEDDING": "openai",
                "PLUMBLINE_REGISTRY": str(folder / "databases.yaml"), "PLUMBLINE_STATE_DIR": str(folder / "state"),
            }  # fmt: skip
            with ServiceProcess(environment, folder / "log") as service:
                address = f"http://127.0.0.1:{service.port}"
                found = {name: json.loads(_run([*it, address], folder)) for name, it in commands.items()}
    for name, rows in found.items():
        print(f"{name}: generated, compiled, called: {rows}")
    return 0 if all(rows == FOUND for rows in found.values()) else 1


def _run(command: Sequence[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where the generator finds ruff
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, check=False, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
        done.check_returncode()
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
