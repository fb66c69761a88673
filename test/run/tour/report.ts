import type { ConnectorRun } from '../connector-run.ts';
import type { TourLine } from './context.ts';

const columns = ['step', 'sent', 'requests', 'accepted', 'rejected', 'comparison'] as const;

/** The tour's results as a table of text. */
export function tourTable(lines: readonly TourLine[]): string {
  const rows = lines.map((line) => [
    ...columns.map((name) => String(line[name])),
    line.holds ? 'holds' : 'DOES NOT HOLD',
  ]);
  const header = [...columns, ''];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const format = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, widths.map((width) => '-'.repeat(width)), ...rows].map(format).join('\n');
}

/** Where to look next, with commands that work as printed. */
export function whereToLook({ local, marketplace, controls, stores }: ConnectorRun): string {
  const { outputs, endpoint, apiUrl, region } = local;
  const [store = ''] = stores;
  return [
    `AWS endpoint       ${endpoint}   (any region, credentials local/local)`,
    `HTTP API           ${apiUrl}`,
    `Webhook            ${outputs.WebhookUrl}`,
    `Marketplace        ${marketplace.baseUrl}${controls === undefined ? '' : `   (look inside: ${marketplace.baseUrl}/sandbox)`}`,
    'Outputs            .local/outputs.json',
    '',
    'Try:',
    `  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws --region ${region} --endpoint-url ${endpoint} dynamodb scan --table-name ${outputs.BatchesTableName} --max-items 3`,
    `  curl --aws-sigv4 aws:amz:${region}:execute-api --user local:local '${apiUrl}/batches?kind=stock&limit=3&storeClientId=${store}'`,
  ].join('\n');
}
