"""The result of `azd up`: each file parses, the parts fit together, and the service knows its settings."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

import pytest
import yaml
from bicep_files import FILES, INFRA, ROOT, BicepFile, body, code_of, load, objects
from pathspec import GitIgnoreSpec

from agent.platform.access.keys import digest_of
from agent.platform.access.policy import CallerRequest, build_access
from agent.platform.config.settings import Settings
from agent.platform.config.settings_table import variables
from executors.registry.address import Address

MAIN, APP = load(INFRA / "main.bicep"), load(INFRA / "modules" / "app.bicep")
PARAMETERS = json.loads((INFRA / "main.parameters.json").read_text(encoding="utf-8"))["parameters"]
MODULES = [load(path) for path in FILES]

PLATFORM = {  # settings of the app that are not the service's own
    "AzureWebJobsStorage__accountName": "the host's storage, by name",
    "AzureWebJobsStorage__credential": "and by identity, without a key",
    "AzureWebJobsStorage__clientId": "which identity: the app has no other one",
    "APPLICATIONINSIGHTS_AUTHENTICATION_STRING": "telemetry by identity: host and exporter read it",
    "AZURE_CLIENT_ID": "which identity azure-identity takes",
    "PYTHON_ENABLE_INIT_INDEXING": "without it, Python up to 3.12 answers only when all is said",
    "PYTHON_ISOLATE_WORKER_DEPENDENCIES": "the worker has an older grpcio and protobuf of its own",
}
REGISTRY = {"AZURE_SQL_URL", "AZURE_POSTGRESQL_URL"}  # what databases.yaml may refer to
ROLES = {
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": ("Storage Blob Data Owner", "storage.bicep"),
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": ("Storage Table Data Contributor", "storage.bicep"),
    "5e0bd9bd-7b93-4f28-af87-19fc36ad61bd": ("Cognitive Services OpenAI User", "openai.bicep"),
    "3913510d-42f4-4e42-8a64-420c390055eb": ("Monitoring Metrics Publisher", "monitoring.bicep"),
    "4633458b-17de-408a-b874-0445c86b69e6": ("Key Vault Secrets User", "vault.bicep"),
}
GIVEN = {  # what the parameters of app.bicep would be, to see whether the service takes them
    "openaiEndpoint": "https://oai-plumbline-abc.openai.azure.com/",
    "chatDeployment": "chat",
    "profile": "small_hosted",
    "embeddingDeployment": "embedding",
    "tablesEndpoint": "https://stplumbabc.table.core.windows.net/",
    "applicationInsightsConnection": "InstrumentationKey=0;IngestionEndpoint=https://x.in.applicationinsights.azure.com/",
    "auth": "functions",
    "apiKeys": f"ann={digest_of('the key of ann')}",
    "rateLimit": "60/minute",
    "chromaUrl": "https://chroma.example.org",
    "chromaTokenUri": "https://kv-abc.vault.azure.net/secrets/chroma-token",
    "identityClientId": "0",
    "storageName": "stplumbabc",
    "sqlUrl": "",
    "postgresqlUrl": "",
    "${instanceMemoryMB / 4}MB": "512MB",
    "${instanceMemoryMB / 8}MB": "256MB",
}


def settings_of_the_app() -> dict[str, str]:
    """Every app setting, with what stands for it in the file."""
    (given,) = re.findall(r"union\(([\w, ]+)\)\n", APP.text)
    parts = [APP.of("variables")[name]["value"] for name in given.split(", ")]
    plain = [part for part in parts if "operator" not in part]
    optional = [part["operator"]["operands"]["false_value"] for part in parts if "operator" in part]
    return {str(name): str(value) for part in (*plain, *optional) for name, value in part.items()}


SETTINGS = settings_of_the_app()


# ------------------------------------------------------------------------------------------------ how parts fit


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.path.name)
def test_modules_get_the_parameters_that_they_declare(file: BicepFile) -> None:
    for name, module, given in file.modules():
        declared = module.of("parameters")
        required = {parameter for parameter, one in declared.items() if not _has_default(module, parameter)}
        assert required <= set(given) <= set(declared), name


def _has_default(file: BicepFile, parameter: str) -> bool:
    return bool(re.search(rf"^param {parameter} \w+ = ", file.text, re.MULTILINE))


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.path.name)
def test_what_is_declared_is_used(file: BicepFile) -> None:
    code = code_of(file)
    for name in (*file.of("parameters"), *file.of("variables")):
        assert len(re.findall(rf"\b{name}\b", code)) > 1, f"{file.path.name}: {name}"


def test_only_outputs_that_there_are_are_taken() -> None:
    modules = {name: module for name, module, _ in MAIN.modules()}
    taken = re.findall(r"(\w+)!?\.outputs\.(\w+)", code_of(MAIN))
    assert taken
    for name, output in taken:
        assert output in modules[name].of("outputs"), f"{name}.{output}"
    offered = {(name, output) for name, module in modules.items() for output in module.of("outputs")}
    assert offered == set(taken), "and each is taken"


def test_what_may_not_be_made_is_taken_only_where_it_is() -> None:
    optional = {name for name, module in MAIN.of("modules").items() if "condition" in module["config"]}
    assert optional == {"network", "vault", "sql", "postgresql"}
    for name in optional:
        assert f"{name}.outputs" not in code_of(MAIN), "`!` says that it is known to be there"
        for line in code_of(MAIN).splitlines():
            assert f"{name}!." not in line or "? " in line, line


def test_every_parameter_comes_from_the_environment_of_azd() -> None:
    declared = MAIN.of("parameters")
    assert set(PARAMETERS) == set(declared)
    for name, given in PARAMETERS.items():
        found = re.fullmatch(r"\$\{([A-Z_]+)(=(.*))?\}", given["value"])
        assert found, name
        default = declared[name]["default"]
        if found[2] is not None and default is not None:
            assert found[3] == str(default).lower() if isinstance(default, bool) else found[3] == str(default), name


def test_every_parameter_is_described_and_choices_hold_their_default() -> None:
    for name, parameter in MAIN.of("parameters").items():
        decorators = {one["type"]: one.get("argument") for one in parameter["decorators"]}
        assert decorators["description"].endswith("."), name
        if "allowed" in decorators and parameter["default"] is not None:
            assert parameter["default"] in decorators["allowed"], name


def test_resources_have_versions_and_the_tag_of_the_environment() -> None:
    for file in MODULES:
        for name, resource in file.of("resources").items():
            assert re.fullmatch(r"20\d\d-\d\d-\d\d(-preview)?", resource["api_version"]), name
            if "location" in body(resource) and file is not MAIN:
                assert "tags" in body(resource) or "parent" in body(resource), name


# ---------------------------------------------------------------------------------------------- the app's settings


def test_every_app_setting_is_known() -> None:
    known = set(chain.from_iterable(variable.names for variable in variables()))
    assert set(SETTINGS) - known - set(PLATFORM) - REGISTRY == set()
    assert set(PLATFORM) <= set(SETTINGS), "and none of the platform's is missing"


def test_what_the_service_needs_there_is_set() -> None:
    assert {
        "AZURE_OPENAI_ENDPOINT", "PLUMBLINE_CHAT_MODEL", "PLUMBLINE_EMBEDDING", "PLUMBLINE_EMBEDDING_MODEL",
        "PLUMBLINE_STATE_STORE", "PLUMBLINE_AZURE_TABLES_ENDPOINT", "PLUMBLINE_STATE_DIR", "PLUMBLINE_AUTH",
        "APPLICATIONINSIGHTS_CONNECTION_STRING", "CHROMA_URL", "CHROMA_TOKEN",
    } <= set(SETTINGS)  # fmt: skip


@pytest.mark.parametrize("auth", ["functions", "api_keys", "entra"])
def test_the_service_takes_these_settings(auth: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in variables():
        for name in variable.names:
            monkeypatch.delenv(name, raising=False)
    given = GIVEN | {"auth": auth}
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, given.get(value, value))
    settings = Settings()
    assert (settings.provider, settings.state_kind, settings.embedding) == ("azure", "azure_tables", "openai")
    assert settings.azure_openai_api_key is settings.openai_api_key is settings.azure_tables_connection is None
    compared = APP.of("resources")["signIn"]["config"]["condition"]["operator"]["operands"]
    signs_in = {"WEBSITE_SITE_NAME": "func", "WEBSITE_AUTH_ENABLED": str(compared["operand_2"] == auth)}
    access = build_access(settings, in_functions=True, environment=signs_in)
    assert access.mode == settings.auth == auth
    key = CallerRequest(headers={"x-functions-key": "the key of ann"})
    if auth == "api_keys":
        assert access.policy(key) == "ann"
    assert settings.request_deadline_s < 230, "the front end's"


def test_queries_of_local_files_leave_half_of_the_instance_to_the_service() -> None:
    shares = [re.fullmatch(r"\$\{instanceMemoryMB / (\d)\}MB", SETTINGS[f"PLUMBLINE_{name}_MEMORY"])
              for name in ("WORKER", "DUCKDB")]  # fmt: skip
    worker, duckdb = (int(share[1]) for share in shares if share)
    assert int(SETTINGS["PLUMBLINE_LOCAL_WORKERS"]) / worker <= 0.5
    assert duckdb >= 2 * worker, "a worker needs more than its database"
    assert min(MAIN.of("parameters")["instanceMemoryMB"]["decorators"][0]["argument"]) >= 2048


def test_where_callers_sign_in_azure_checks_their_tokens_and_the_service_who_they_are() -> None:
    properties = body(APP.of("resources")["signIn"])["properties"]
    assert properties["platform"] == {"enabled": True}
    assert properties["globalValidation"] == {"unauthenticatedClientAction": "AllowAnonymous"}, "health stays open"
    entra = properties["identityProviders"]["azureActiveDirectory"]
    assert (entra["enabled"], entra["registration"]["clientId"]) == (True, "entraClientId")
    assert entra["validation"]["allowedAudiences"] == ["entraClientId", "api://${entraClientId}"]


def test_flex_consumption_gets_what_it_wants_where_it_wants_it() -> None:
    properties = body(APP.of("resources")["app"])["properties"]
    config = properties["functionAppConfig"]
    assert set(config) == {"deployment", "runtime", "scaleAndConcurrency"}
    storage = config["deployment"]["storage"]
    assert (storage["type"], storage["value"]) == ("blobContainer", "packageContainerUrl")
    assert storage["authentication"] == {
        "type": "UserAssignedIdentity", "userAssignedIdentityResourceId": "identityId",
    }  # fmt: skip
    assert config["runtime"] == {"name": "python", "version": "3.12"}
    assert {"maximumInstanceCount", "instanceMemoryMB", "alwaysReady", "triggers"} == set(config["scaleAndConcurrency"])
    old = {"FUNCTIONS_WORKER_RUNTIME", "FUNCTIONS_EXTENSION_VERSION", "WEBSITE_RUN_FROM_PACKAGE", "AzureWebJobsStorage"}
    assert not old & set(SETTINGS), "the plan refuses these"
    assert "linuxFxVersion" not in properties["siteConfig"]


@pytest.mark.parametrize("file", ["sql.bicep", "postgresql.bicep"])
def test_an_administrator_may_be_a_group_or_what_deploys_in_ci(file: str) -> None:
    (given,) = [
        one["principalType"] for one in objects(load(INFRA / "modules" / file).parsed) if "principalType" in one
    ]
    assert "administratorType" in str(given)
    assert MAIN.of("parameters")["administratorType"]["default"] == "User"


def test_reading_its_schema_lets_the_database_pause() -> None:
    (minutes,) = [one["autoPauseDelay"] for one in objects(load(INFRA / "modules" / "sql.bicep").parsed)
                  if "autoPauseDelay" in one]  # fmt: skip
    assert int(SETTINGS["PLUMBLINE_SCHEMA_TTL_S"]) > 2 * 60 * int(minutes)


def test_databases_are_reached_by_identity() -> None:
    urls = re.findall(r"'((?:mssql|postgresql)://[^']*)'", MAIN.text)
    assert len(urls) == 2
    for url in urls:
        address = Address.parse(re.sub(r"\$\{[^}]*\}", "name", url))
        assert (address.password, address.query["auth"]) == (None, "entra")


# ------------------------------------------------------------------------------------------------ identity


def test_each_role_is_one_that_is_needed_and_says_why() -> None:
    found = {}
    for file in MODULES:
        for guid in re.findall(r"'([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'", file.text):
            found[guid] = (re.findall(rf"// ([\w ]+): .*\nvar \w+ = '{guid}'", file.text), file.path.name)
    assert found == {guid: ([name], file) for guid, (name, file) in ROLES.items()}
    assert "Contributor'" not in "".join(file.text for file in MODULES), "no role by name, none over a group"


def test_roles_are_given_on_one_resource_each_to_the_identity_and_to_who_deploys() -> None:
    given = [body(resource) for file in MODULES for resource in file.of("resources").values()
             if resource["type"] == "Microsoft.Authorization/roleAssignments"]  # fmt: skip
    to_identity = [one for one in given if one["properties"]["principalId"] == "principalId"]
    to_deployer = [one for one in given if one["properties"]["principalId"] == "deployerId"]
    assert len(to_identity) + len(to_deployer) == len(given)
    assert len(to_identity) == len(ROLES) - 1, "the storage account's two are one loop"
    assert {one["scope"] for one in to_deployer} == {"account"}, "state and models, to look at and to try"
    for assignment in to_identity:
        assert assignment["scope"] in ("account", "component", "vault")
        assert assignment["properties"]["principalType"] == "ServicePrincipal"
    passed = [given["principalId"] for _, _, given in MAIN.modules() if "principalId" in given]
    assert all(_accessed(value) == ("identity", "outputs", "principalId") for value in passed)


def test_what_is_made_can_be_made_again_everywhere() -> None:
    storage, vault = load(INFRA / "modules" / "storage.bicep"), load(INFRA / "modules" / "vault.bicep")
    assert MAIN.of("parameters")["storageRedundancy"]["default"] == "Standard_LRS"
    assert "name: redundancy" in storage.text
    assert MAIN.of("parameters")["protectVault"]["default"] in (False, "false")
    assert "enablePurgeProtection: isProtected ? true : null" in vault.text


def _accessed(value: dict[str, Any]) -> tuple[str, ...]:
    """`identity.outputs.principalId` as the parser has it, in its parts."""
    operands = value["operator"]["operands"]
    rest = operands["operand_2"]
    return (operands["operand_1"], *(_accessed(rest) if isinstance(rest, dict) else (rest,)))


@pytest.mark.parametrize(
    "file, key, value, why",
    [
        ("storage.bicep", "allowSharedKeyAccess", False, "no key of the account is any good"),
        ("storage.bicep", "allowBlobPublicAccess", False, "nobody reads without an identity"),
        ("openai.bicep", "disableLocalAuth", True, "no key of the account is any good"),
        ("monitoring.bicep", "DisableLocalAuth", True, "telemetry comes from the identity alone"),
        ("vault.bicep", "enableRbacAuthorization", True, "roles, not access policies"),
        ("sql.bicep", "azureADOnlyAuthentication", True, "no passwords"),
        ("postgresql.bicep", "passwordAuth", "Disabled", "no passwords"),
        ("app.bicep", "httpsOnly", True, "no key travels in the open"),
        ("app.bicep", "type", "UserAssigned", "the one identity"),
        ("app.bicep", "allow", False, "no publishing by password"),
        ("app.bicep", "name", "FC1", "Flex Consumption"),
        ("app.bicep", "version", "3.12", "the Python that Azure has"),
    ],
)
def test_what_is_switched_off_or_on(file: str, key: str, value: object, why: str) -> None:
    found = [one[key] for one in objects(load(INFRA / "modules" / file).parsed) if key in one]
    assert value in found, why


def test_no_key_is_read_anywhere() -> None:
    for file in MODULES:
        assert not re.search(
            r"list(Account)?(Keys|Sas|Secrets)|primaryKey|AccountKey|password:", file.text, re.IGNORECASE
        )
    assert SETTINGS["CHROMA_TOKEN"].startswith("@Microsoft.KeyVault(SecretUri=")
    secret = [name for name, one in MAIN.of("parameters").items() if {"type": "secure"} in one["decorators"]]
    assert secret == ["chromaToken"]


# ------------------------------------------------------------------------------------------------ the package


def test_azd_finds_the_app_and_builds_there() -> None:
    described = yaml.safe_load((ROOT / "azure.yaml").read_text(encoding="utf-8"))
    ((name, service),) = described["services"].items()
    assert f"'azd-service-name': '{name}'" in APP.text
    assert (service["host"], service["language"], service["remoteBuild"]) == ("function", "py", True)
    assert (INFRA / f"{described['infra']['module']}.bicep").exists()


def test_what_is_built_there_is_pinned_whole() -> None:
    assert "-c constraints.txt" in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    ignored = (ROOT / ".funcignore").read_text(encoding="utf-8").split()
    assert not {"requirements.txt", "constraints.txt", "samples/", "host.json"} & set(ignored)


@pytest.mark.parametrize("package", ["agent", "rag", "executors"])
def test_every_module_and_its_data_is_deployed(package: str) -> None:
    """A pattern without a slash in front, such as `docs/`, would leave out `rag/docs` as well."""
    ignored = GitIgnoreSpec.from_lines((ROOT / ".funcignore").read_text(encoding="utf-8").splitlines())
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*") if path.is_file()]
    left_out = [name for name in files if ignored.match_file(name) and not name.endswith(".pyc")]

    assert left_out == []
    assert all(map(ignored.match_file, ("docs/http.md", "tests/conftest.py", "web/package.json")))


def test_the_host_leaves_the_service_its_limits() -> None:
    host = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    hours, minutes, seconds = map(int, host["functionTimeout"].split(":"))
    limits = Settings.model_fields
    places = limits["max_concurrent_questions"].default
    assert hours * 3600 + minutes * 60 + seconds > 230 > limits["request_deadline_s"].default
    assert f"perInstanceConcurrency: {places} }}" in APP.text
    http = host["extensions"]["http"]
    assert http["maxConcurrentRequests"] > 2 * places, "questions, the queue, and who asks for health and jobs"
    assert host["logging"]["applicationInsights"]["samplingSettings"]["isEnabled"]
    assert "healthMonitor" not in host, "it watches the counters of the Consumption plan's sandbox, which is not there"
