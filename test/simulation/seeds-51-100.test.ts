import { keepsProperties } from './keeps-properties.ts';

keepsProperties(51, 100);
