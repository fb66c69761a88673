import { keepsProperties } from '../keeps-properties.ts';

keepsProperties(101, 200);
