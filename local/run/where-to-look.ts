import type { ConnectorRun } from './connector-run.ts';
import { DEMO_SKU } from './demo-product.ts';

/** Addresses of the run and commands to try, which work as printed in any folder. */
export function whereToLook(
  { local, marketplace, controls, stores }: ConnectorRun,
  outputsFile: string,
  consoleUrl: string,
): string {
  const { outputs, endpoint, apiUrl, region } = local;
  const [store = ''] = stores;
  const places = [
    `AWS endpoint  ${endpoint}   (any region, credentials local/local)`,
    `HTTP API      ${apiUrl}`,
    `Webhook       ${outputs.WebhookUrl}`,
    `Marketplace   ${marketplace.baseUrl}${controls === undefined ? '' : `   (look inside: ${marketplace.baseUrl}/sandbox)`}`,
    `Outputs       ${outputsFile}`,
    `Console       ${consoleUrl}   (opens once)`,
  ];
  const curl = `curl -s --aws-sigv4 aws:amz:${region}:execute-api --user local:local`;
  const listBatches = `  ${curl} '${apiUrl}/batches?kind=stock&limit=3&storeClientId=${store}'`;
  if (controls === undefined) return [...places, '', 'Try:', listBatches].join('\n');
  const detail = JSON.stringify({ storeClientId: store, items: [{ sku: DEMO_SKU, stock: 5 }] });
  const entry = `EventBusName=${outputs.EventBusName},Source=my.erp,DetailType=stock.changed,Detail='${detail}'`;
  return [
    ...places,
    '',
    'Change stock by an event (AWS CLI) or by the HTTP API (curl), then, seconds later, read it at the marketplace:',
    `  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws events put-events --region ${region} --endpoint-url ${endpoint} --entries ${shellQuoted(entry)}`,
    `  ${curl} -d '{"items":[{"sku":"${DEMO_SKU}","stock":6}]}' ${apiUrl}/stores/${store}/stock`,
    `  ${curl} '${apiUrl}/stores/${store}/products/by-sku?sku=${DEMO_SKU}'`,
    listBatches,
  ].join('\n');
}

/** A shell word in double quotes, as the text contains single quotes. */
function shellQuoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}
