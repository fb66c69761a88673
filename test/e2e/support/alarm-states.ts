import type { LogLine } from '../../../local/aws/model.ts';
import type { CloudFormationTemplate } from '../../../local/aws/template/cloudformation.ts';

/** The alarms of a template, raised or not by what the functions of a run have measured themselves. */
export interface AlarmStates {
  /** To be given to the run: takes the metrics out of the functions' output. */
  readonly log: (line: LogLine) => void;
  /** Forgets what was measured until now, as the next period of the alarms does. */
  nextPeriod(): void;
  /**
   * Whether this one period is above the alarm's threshold. AWS's own metrics count as 0, as nothing measures them here.
   *
   * @param name the alarm's name, as the runbook has it
   */
  isRaised(name: string): boolean;
  /** Whether a function has measured what the alarm watches, in this period. */
  hasMeasured(name: string): boolean;
}

interface MeasuredMetric {
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmProperties extends MeasuredMetric {
  readonly Threshold: number;
  readonly TreatMissingData: string;
  readonly Statistic?: string;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: MeasuredMetric; Stat: string } }[];
}

interface Measured {
  readonly metric: string;
  readonly service: string;
  readonly value: number;
}

/** @param template whose alarms have the namespace of its stack, and the dimension `service` on the functions' own metrics */
export function alarmStates(template: CloudFormationTemplate): AlarmStates {
  let measured: Measured[] = [];
  /** What each metric of an alarm comes to; none that was not measured. */
  const valuesOf = (name: string) =>
    metricsOf(alarmOf(template, name)).flatMap(({ MetricName, Dimensions = [], statistic }) => {
      const service = Dimensions.find(({ Name }) => Name === 'service')?.Value;
      const seen = measured.filter((one) => one.metric === MetricName && one.service === service);
      return seen.length === 0 ? [] : [statisticOf(statistic, seen)];
    });
  const isRaised = (name: string): boolean => {
    const parts = partsOf(template, name);
    if (parts.length > 0) return parts.some(isRaised);
    const { Threshold, TreatMissingData } = alarmOf(template, name);
    const values = valuesOf(name);
    return values.length === 0 ? TreatMissingData === 'breaching' : sumOf(values) > Threshold;
  };
  return {
    log: ({ message }) => {
      if (message.includes('CloudWatchMetrics')) measured.push(...metricsIn(message));
    },
    nextPeriod: () => {
      measured = [];
    },
    isRaised,
    hasMeasured: (name) => valuesOf(name).length > 0,
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function statisticOf(statistic: string, measured: readonly Measured[]): number {
  const values = measured.map(({ value }) => value);
  if (statistic === 'Maximum') return Math.max(...values);
  return statistic === 'Average' ? sumOf(values) / values.length : sumOf(values);
}

function alarmOf(template: CloudFormationTemplate, name: string): AlarmProperties {
  const found = propertiesOf(template, 'AWS::CloudWatch::Alarm', name);
  if (found === undefined) throw new Error(`the template has no alarm ${name}`);
  return found as unknown as AlarmProperties;
}

/** The alarms of a composite alarm, each enough to raise it; none of an alarm that is not composite. */
function partsOf(template: CloudFormationTemplate, name: string): string[] {
  const { AlarmRule } = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm', name) ?? {};
  return [...JSON.stringify(AlarmRule ?? '').matchAll(/"Alarms(\w+)[0-9A-F]{8}","Arn"/g)].map(
    ([, part = '']) => part,
  );
}

function propertiesOf({ Resources }: CloudFormationTemplate, type: string, name: string) {
  const ofAlarm = new RegExp(`^Alarms${name}[0-9A-F]{8}$`);
  return Object.entries(Resources).find(([id, { Type }]) => Type === type && ofAlarm.test(id))?.[1]
    .Properties;
}

/** The metrics that an alarm adds up. */
function metricsOf({ Metrics, Statistic = '', ...own }: AlarmProperties) {
  const given = Metrics?.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat] : []));
  return given === undefined
    ? [{ ...own, statistic: Statistic }]
    : given.map(({ Metric, Stat }) => ({ ...Metric, statistic: Stat }));
}

/** The metrics of a line in CloudWatch's embedded metric format, those with further dimensions left out. */
function metricsIn(line: string): Measured[] {
  const { _aws, service, ...values } = JSON.parse(line);
  const directives: { Dimensions: string[][]; Metrics: { Name: string }[] }[] = _aws.CloudWatchMetrics;
  return directives
    .filter(({ Dimensions }) => Dimensions.some((names) => names.length === 1 && names[0] === 'service'))
    .flatMap(({ Metrics }) => Metrics)
    .flatMap(({ Name }) => [values[Name]].flat().map((value) => ({ metric: Name, service, value })));
}
