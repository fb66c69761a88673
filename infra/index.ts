export type { FunctionName } from './function-names.ts';
export { MarketplaceConnector, type MarketplaceConnectorProps } from './marketplace-connector.ts';
export type { SettingProps } from './setting-props.ts';
