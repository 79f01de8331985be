"""Operations decide, by the database's clock, in its own words, and only they send news."""

from __future__ import annotations

import ast

from tests.architecture.sources import APPS, Source, is_called, layer_of, product_files

RULES = {"operations", "lifecycle", "policies", "leases", "dependencies", "handoff", "projection", "models"}
MACHINE_CLOCK = ("timezone.now", "Now", "datetime.now", "datetime.utcnow", "time.time", "date.today")
# The one place that publishes for them: it writes what each room-scoped change leaves behind.
LEDGER = "rooms/ledger.py"
NOT_THE_RULES = {"queries", "tools", "jobs", "admin", "context", "inputs", "needs_you", "refs"}
# Empties whole tables, below any operation; the names it puts into SQL come from the database's own catalogue.
STARTS_OVER = "agentroom/board/demo/fresh.py"
RUNS_SQL = ("execute", "executemany", "executescript", "raw", "RawSQL", "extra")


def test_rules_read_the_database_clock_and_no_other():
    found = [
        _where(source, call)
        for source in product_files()
        if RULES & set(source.parts[1:])
        for call in source.calls()
        if is_called(call, *MACHINE_CLOCK)
    ]
    assert not found, "use agentroom.core.clock.db_now():\n" + "\n".join(found)


def test_only_operations_and_the_ledger_publish():
    found = [
        _where(source, call)
        for source in product_files()
        if layer_of(source) != "operations" and source.path != LEDGER
        for call in source.calls()
        if _imports(source, "agentroom.core.events") and is_called(call, "publish", "events.publish")
    ]
    assert not found, "\n".join(found)


def test_doors_and_queries_write_no_ledger():
    found = [
        f"{source.path}:{line}"
        for source in product_files()
        if source.parts[0] not in APPS or layer_of(source) in NOT_THE_RULES
        for line, name in source.imports()
        if name == "rooms.ledger.write"
    ]
    assert not found


def test_no_sql_is_put_together_from_text():
    found = [
        _where(source, call)
        for source in product_files()
        if source.path != STARTS_OVER
        for call in source.calls()
        if is_called(call, *RUNS_SQL) and call.args and _is_composed(call.args[0])
    ]
    assert not found, "give values as parameters:\n" + "\n".join(found)


def test_no_business_effect_hides_in_a_signal():
    banned = {f"django.db.models.signals.{when}_{what}" for when in ("pre", "post") for what in ("save", "delete")}
    found = [
        f"{source.path}:{line} {name}"
        for source in product_files()
        for line, name in source.imports()
        if name in banned
    ]
    assert not found


def test_models_override_no_save_or_delete():
    found = [
        f"{source.path}:{function.lineno}"
        for source in product_files()
        if layer_of(source) == "models" or source.path == "agentroom/core/models.py"
        for function in source.functions()
        if function.name in {"save", "delete"}
    ]
    assert not found


def test_doors_queries_and_jobs_open_no_transaction_and_take_no_lock():
    found = [
        _where(source, call)
        for source in product_files()
        if source.path != STARTS_OVER and (_is_a_door(source) or layer_of(source) in NOT_THE_RULES)
        for call in source.calls()
        if is_called(call, "atomic", "select_for_update")
    ]
    assert not found, "a change is an @operation:\n" + "\n".join(found)


def _is_a_door(source: Source) -> bool:
    return source.path.startswith(("agentroom/gateway/", "agentroom/board/"))


def _is_composed(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr():
            return any(isinstance(part, ast.FormattedValue) for part in node.values)
        case ast.BinOp(op=ast.Mod() | ast.Add()):
            return True
        case ast.Call():
            return is_called(node, "format", "join")
    return False


def _imports(source: Source, module: str) -> bool:
    return any(name.startswith(module) for _, name in source.imports())


def _where(source: Source, node: ast.expr) -> str:
    return f"{source.path}:{node.lineno} {ast.unparse(node)[:90]}"
