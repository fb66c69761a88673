"""Sends stock to the connector's bus: python3 send_stock.py STORE SKU STOCK. Needs boto3, and EVENT_BUS_NAME of the outputs."""

import json
import os
import sys
from datetime import datetime, timezone

import boto3


def send_stock(store_client_id: str, rows: list[dict], bus_name: str) -> None:
    detail = {
        "storeClientId": store_client_id,
        # When the stock became so: the newest value wins, in whatever order events arrive.
        "occurredAt": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "items": rows,
    }
    entry = {
        "EventBusName": bus_name,
        "Source": "my.erp",
        "DetailType": "stock.changed",
        "Detail": json.dumps(detail),
    }
    answer = boto3.client("events").put_events(Entries=[entry])
    if answer["FailedEntryCount"]:
        raise RuntimeError(f"the event was not taken: {answer['Entries'][0]['ErrorMessage']}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    bus_name = os.environ.get("EVENT_BUS_NAME")
    if not bus_name:
        sys.exit("EVENT_BUS_NAME must be the output EventBusName")
    store, sku, stock = sys.argv[1:]
    send_stock(store, [{"sku": sku, "stock": int(stock)}], bus_name)
