"""Docs in YAML and CSV: what is read from them, and the problems that are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_read import SCHEMA, facts, read

# ----------------------------------------------------------------------------------------------------- yaml


@pytest.mark.parametrize(
    "content, fact",
    [
        ("tables: {orders: {columns: {total: net}}}", ("column", "orders", "total", "net")),
        ("tables: {orders: {columns: {total: {description: net}}}}", ("column", "orders", "total", "net")),
        ("tables: [{name: orders, columns: [{name: total, text: net}]}]", ("column", "orders", "total", "net")),
        ("models: [{name: orders, description: all sales}]", ("table", "orders", "", "all sales")),
        ("sources: [{name: s, tables: [{name: orders, description: sold}]}]", ("table", "orders", "", "sold")),
        ("tables: {orders: all sales}", ("table", "orders", "", "all sales")),
        ("rules: [times are UTC]", ("rule", "", "", "times are UTC")),
        ("terms: {guest: no customer}", ("rule", "", "", "guest: no customer")),
        ("glossary: [{term: guest, definition: no customer}]", ("rule", "", "", "guest: no customer")),
        ('queries: [{question: "How many?", sql: SELECT 1}]', ("query", "", "", "How many?")),
        ('queries: {"How many?": SELECT 1}', ("query", "", "", "How many?")),
        ("orders: {columns: {total: net}}", ("column", "orders", "total", "net")),
        ("tables: {orders: {columns: [total: net]}}", ("column", "orders", "total", "net")),
        (
            "tables: {orders: {columns: {total: {text: net, values: [0, no]}}}}",
            ("column", "orders", "total", "net; values: 0, no"),
        ),
        (
            "tables: {orders: {columns: {total: {allowed_values: {C: done, X: void}}}}}",
            ("column", "orders", "total", "allowed values: C: done, X: void"),
        ),
        ("tables: {orders: {rules: [kept for ten years]}}", ("rule", "orders", "", "kept for ten years")),
        ("metrics: [{name: ARPU, description: per user, sql: a / b}]", ("rule", "", "", "ARPU: per user; a / b")),
        ("- {table: orders, column: total, description: net}", ("column", "orders", "total", "net")),
        ("- {term: guest, definition: no customer}", ("rule", "", "", "guest: no customer")),
        ("rules: [2024-01-01 is a holiday]", ("rule", "", "", "2024-01-01 is a holiday")),
        ("terms: {version: 1.0}", ("rule", "", "", "version: 1.0")),
        ("---\nrules: [a]\n---\n", ("rule", "", "", "a")),
    ],
)
def test_yaml(tmp_path: Path, content: str, fact: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, "shop.yaml", content, SCHEMA)
    assert facts(result) == [fact]
    assert result.problems == ()


@pytest.mark.parametrize(
    "content, problem",
    [
        ("tables: [", "not valid YAML"),
        ("- a list", "`tables`, `rules` or `queries`"),
        ("tables: {ordrs: all sales}", "no table 'ordrs'; the nearest is 'orders'"),
        ("tables: {orders: {columns: {totals: net}}}", "no column 'totals'; the nearest is 'total'"),
        ('queries: [{question: "How many?"}]', "a `question` and its `sql`"),
        ("rules: 3", "neither a list nor a mapping"),
    ],
)
def test_yaml_that_cannot_be_used(tmp_path: Path, content: str, problem: str) -> None:
    result = read(tmp_path, "shop.yml", content, SCHEMA)
    assert len(result.problems) == 1
    assert problem in result.problems[0]
    assert result.problems[0].startswith("shop.yml: ")


def test_a_glossary_is_known_by_its_files_name(tmp_path: Path) -> None:
    assert facts(read(tmp_path, "glossary.yaml", "guest: no customer\nARPU: revenue per user", SCHEMA)) == [
        ("rule", "", "", "guest: no customer"),
        ("rule", "", "", "ARPU: revenue per user"),
    ]


# ------------------------------------------------------------------------------------------------------ csv


@pytest.mark.parametrize(
    "name, content, fact",
    [
        ("d.csv", "table,column,type,description\norders,total,DEC,net", ("column", "orders", "total", "net")),
        ("d.csv", "Table Name,Column Name,Description\norders,total,net", ("column", "orders", "total", "net")),
        ("d.csv", "table,column,description\norders,,all sales", ("table", "orders", "", "all sales")),
        ("orders.csv", "column,description\ntotal,net", ("column", "orders", "total", "net")),
        ("orders.csv", "field,comment,values\ntotal,net,0: free", ("column", "orders", "total", "net; 0: free")),
        (
            "orders.csv",
            "original_column_name,column_name,column_description,data_format,value_description\n total ,sum,net,dec,",
            ("column", "orders", "total", "sum; net"),
        ),
        ("t.csv", "term,definition\nguest,no customer", ("rule", "", "", "guest: no customer")),
        ("q.csv", "question,sql\nHow many?,SELECT 1", ("query", "", "", "How many?")),
        ("d.csv", "table;column;description\norders;total;net, of tax", ("column", "orders", "total", "net, of tax")),
        ("d.tsv", "table\tcolumn\tdescription\norders\ttotal\tnet", ("column", "orders", "total", "net")),
        ("d.csv", "sep=;\r\ntable;column;meaning\r\norders;total;net", ("column", "orders", "total", "net")),
        ("d.csv", "Our docs,,\ntable,column,text\norders,total,net", ("column", "orders", "total", "net")),
        ("d.csv", "tableName,columnName,columnComment\norders,total,net", ("column", "orders", "total", "net")),
        (
            "d.csv",
            "TABLE_SCHEMA,TABLE_NAME,COLUMN_NAME,REMARKS\nx,orders,total,net",
            ("column", "orders", "total", "net"),
        ),
        (
            "d.csv",
            "Attribute,Entity,Definition,Is Nullable\ntotal,orders,net,yes",
            ("column", "orders", "total", "net"),
        ),
        ("d.csv", "column,description\norders.total,net", ("column", "orders", "total", "net")),
        ("d.csv", "table,description\norders,all sales", ("table", "orders", "", "all sales")),
        ("tables.csv", "name,description\norders,all sales", ("table", "orders", "", "all sales")),
        ("orders.csv", "name,meaning\ntotal,net", ("column", "orders", "total", "net")),
        ("orders_columns.csv", "name,meaning\ntotal,net", ("column", "orders", "total", "net")),
        (
            "crm.customers.csv",
            "name,meaning\nCustomer ID,a number",
            ("column", "crm.customers", "customer_id", "a number"),
        ),
        ("orders.csv", "name,allowed values\ntotal,0 or 1", ("column", "orders", "total", "allowed values: 0 or 1")),
        ("orders.csv", "name,meaning,unit\ntotal,net,EUR", ("column", "orders", "total", "net; unit: EUR")),
        ("orders.csv", "name,meaning,format\ntotal,net,#.## €", ("column", "orders", "total", "net; format: #.## €")),
        ("orders.csv", "name,data_format,meaning\ntotal,decimal(10),net", ("column", "orders", "total", "net")),
        (
            "orders.csv",
            "column,label,description\ntotal,Net sum,in euros",
            ("column", "orders", "total", "Net sum; in euros"),
        ),
        ("orders.csv", "column,description\ntotal,net, of tax", ("column", "orders", "total", "net, of tax")),
        ("t.csv", "Business Term,Meaning\nguest,no customer", ("rule", "", "", "guest: no customer")),
        ("t.csv", "metric,description,formula\nARPU,per user,a / b", ("rule", "", "", "ARPU: per user; a / b")),
        ("t.csv", "abbreviation,synonym,meaning\nAOV,basket,a / b", ("rule", "", "", "AOV (basket): a / b")),
        ("t.csv", "rule\ntimes are UTC", ("rule", "", "", "times are UTC")),
    ],
)
def test_csv(tmp_path: Path, name: str, content: str, fact: tuple[str, str, str, str]) -> None:
    result = read(tmp_path, name, content, SCHEMA)
    assert facts(result) == [fact]
    assert result.problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_csv_as_spreadsheets_write_it(tmp_path: Path, encoding: str) -> None:
    content = 'column,description\r\ntotal,"Beträge\r\nin €"\r\n'.encode(encoding)
    assert facts(read(tmp_path, "orders.csv", content, SCHEMA)) == [("column", "orders", "total", "Beträge in €")]


def test_a_spreadsheets_unicode_text_is_read(tmp_path: Path) -> None:
    content = "column\tdescription\r\ntotal\tBeträge\r\n".encode("utf-16")
    assert facts(read(tmp_path, "orders.csv", content, SCHEMA)) == [("column", "orders", "total", "Beträge")]


def test_a_table_that_is_not_said_again_is_that_of_the_row_above(tmp_path: Path) -> None:
    content = "table,column,description\norders,total,net\n,order_id,a number\ncustomers,customer_id,who"
    assert facts(read(tmp_path, "d.csv", content, SCHEMA)) == [
        ("column", "orders", "total", "net"),
        ("column", "orders", "order_id", "a number"),
        ("column", "crm.customers", "customer_id", "who"),
    ]


def test_one_row_may_say_both_of_a_table_and_of_its_column(tmp_path: Path) -> None:
    content = "table,table_description,column,column_description\norders,all sales,total,net"
    assert facts(read(tmp_path, "d.csv", content, SCHEMA)) == [
        ("table", "orders", "", "all sales"),
        ("column", "orders", "total", "net"),
    ]


@pytest.mark.parametrize(
    "name, content, problem",
    [
        ("orders.csv", "column,description\ntotl,", "no column 'totl'; the nearest is 'total'"),
        ("d.csv", "table,description\nordrs,sales", "no table 'ordrs'; the nearest is 'orders'"),
        ("q.csv", "question,sql\nHow many?,", "'How many?' is a question or a query without the other"),
        ("ordrs.csv", "column,description\ntotal,net\norder_id,key", "no table 'ordrs'; the nearest is 'orders'"),
        ("orders.csv", "column,description\ntotl,net", "no column 'totl'; the nearest is 'total'"),
        ("orders.csv", "a,b\n1,2", "has the fields table, column and description; this has a, b"),
        ("orders.csv", "", "this has nothing"),
        ("orders.csv", 'column,description\ntotal,"net', "not a CSV file"),
        ("orders.csv", b"column\0", "not a text file"),
    ],
)
def test_csv_that_cannot_be_used(tmp_path: Path, name: str, content: str | bytes, problem: str) -> None:
    result = read(tmp_path, name, content, SCHEMA)
    assert len(result.problems) == 1
    assert problem in result.problems[0]
