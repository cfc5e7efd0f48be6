// SPDX-License-Identifier: GPL-3.0-or-later
// The page about one node of a model.
#include "app/present/node_page.h"

#include "tests/app/present/small_models.h"
#include "widgets/look/tokens.h"

#include <QTextDocumentFragment>
#include <QtTest>

#include <limits>

using namespace nestwright;
using namespace nestwright::tests;
using app::ModelFacts;

namespace {

int idOf(const session::Model &model, std::string_view name)
{
    return static_cast<int>(nodeNamed(model.program.function, name).id.value);
}

QString page(const session::Model &model, int id, const ModelFacts &facts = {})
{
    return app::nodePage(model, id, facts, look::lightTokens());
}

/// The words of a page, as a person reads them.
QString words(const QString &html) { return QTextDocumentFragment::fromHtml(html).toPlainText(); }

/// The part of the words under a heading.
QString under(const QString &html, const QString &heading)
{
    static const QStringList headings{"Computes", "Reads", "Weights", "Gives", "Input", "Read by"};
    QStringList lines;
    bool isWithin = false;
    for (const QString &line : words(html).split(u'\n')) {
        if (headings.contains(line))
            isWithin = line == heading;
        else if (isWithin)
            lines << line;
    }
    return lines.join(u'\n').trimmed();
}

QStringList linksIn(const QString &html)
{
    static const QRegularExpression link(QStringLiteral("href='([^']*)'"));
    QStringList links;
    for (const QRegularExpressionMatch &match : link.globalMatch(html))
        links << match.captured(1);
    return links;
}

/// A product of weights that hold what training may leave in them.
session::Model oddWeights(const ir::NdArray &weights, const std::string &name)
{
    Builder b;
    const Value x = b.input("x", floats({2, weights.shape()[0]}));
    const Value y = b.call("nn.matmul", {x, b.constant(weights, name)}, {}, "product");
    return modelOf(b.finish({y}, {"out"}));
}

} // namespace

class NodePageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNode()
    {
        const session::Model model = modelOf(paneNetwork());
        const QString html = page(model, idOf(model, "/net/pool/MaxPool"));
        QVERIFY(words(html).contains(QStringLiteral("/net/pool/MaxPool\n")));
        QVERIFY(!html.contains(QStringLiteral("in the file"))); // it is the title
        QCOMPARE(under(html, "Computes"), QStringLiteral("nn.max_pool\nstrides=[2, 2], kernel=[2, 2]"));
        QVERIFY(under(html, "Reads").contains(QStringLiteral("1×4×8×8 f32")));
        QVERIFY(under(html, "Gives").startsWith(QStringLiteral("pooled\n1×4×4×4 f32")));
        QVERIFY(under(html, "Weights").isEmpty());
        QVERIFY(under(html, "Read by").contains(QStringLiteral("/net/Flatten")));
        QVERIFY(html.contains(QStringLiteral("<a name='%1'>").arg(app::resultAnchor)));
    }

    /// Links lead to the nodes and the kernel that are named.
    void links()
    {
        const session::Model model = modelOf(paneNetwork());
        const int pool = idOf(model, "/net/pool/MaxPool"), flat = idOf(model, "/net/Flatten");
        const Node &before =
            model.program.function.at(nodeNamed(model.program.function, "/net/pool/MaxPool").inputs.front());
        const auto step = std::ranges::find_if(model.program.steps, [&](const ProgramStep &each) {
            return static_cast<int>(model.program.function.at(each.node).id.value) == pool;
        });
        QVERIFY(step != model.program.steps.end());
        QCOMPARE(linksIn(page(model, pool)),
                 (QStringList{QStringLiteral("kernel:%1").arg(step->kernel),
                              QStringLiteral("node:%1").arg(before.id.value), QStringLiteral("results:"),
                              QStringLiteral("node:%1").arg(flat)}));
        QVERIFY(
            under(page(model, pool), "Gives").contains(QStringLiteral("Run the model to see its values")));
    }

    void inputs()
    {
        const session::Model model = modelOf(paneNetwork());
        const QString html = page(model, idOf(model, "x"));
        QCOMPARE(under(html, "Input"), QStringLiteral("1×3×8×8 f32"));
        QVERIFY(under(html, "Gives").isEmpty() && under(html, "Computes").isEmpty());
        QVERIFY(!html.contains(QStringLiteral("kernel:")) && !html.contains(QStringLiteral("results:")));
        QCOMPARE(linksIn(html).size(), 1); // its reader
    }

    void groups()
    {
        const session::Model model = modelOf(paneNetwork());
        const auto group = std::ranges::find(model.program.function.nodes, NodeKind::Group, &Node::kind);
        QVERIFY(group != model.program.function.nodes.end());
        const QString html = page(model, static_cast<int>(group->id.value));
        QCOMPARE(under(html, "Computes"), QStringLiteral("nn.conv\npadding=[1, 1, 1, 1]\nnn.relu"));
        QVERIFY(under(html, "Weights").startsWith(QStringLiteral("layer1.conv.weight\n4×3×3×3 f32")));
        const std::vector<app::Weights> weights = app::weightsOf(model, static_cast<int>(group->id.value));
        QCOMPARE(weights.size(), 1U);
        QCOMPARE(weights[0].name, std::string("layer1.conv.weight"));
        QCOMPARE(weights[0].data->size(), 4 * 3 * 3 * 3);
    }

    /// A made-up name gives way to that of the layer, and stands below it.
    void madeUpNames()
    {
        const session::Model model = modelOf(paneNetwork());
        const QString text = words(page(model, idOf(model, "MatMul_7")));
        QVERIFY(text.startsWith(QStringLiteral("net/head/dense\nMatMul_7 in the file")));
        QCOMPARE(app::nameOf(model, idOf(model, "MatMul_7")), QStringLiteral("MatMul_7"));
        QCOMPARE(app::nameOf(model, 4711), QString());
    }

    void noSuchNode()
    {
        const session::Model model = modelOf(paneNetwork());
        for (const int id : {-1, -2, 4711, 1 << 24}) {
            QVERIFY(page(model, id).isEmpty());
            QVERIFY(app::weightsOf(model, id).empty());
        }
    }

    /// Names in a model's file are text, whatever they look like.
    void namesAreNoHtml()
    {
        Builder b;
        const std::string evil = "<b>x</b> & 'y'";
        const Value x = b.input(evil, floats({2, 4}));
        const Value w = namedWeights(b, {4, 4}, "<i>w</i>");
        const Value y = b.call("nn.matmul", {x, w}, {}, "<u>" + evil);
        b.nameTensor(y, "<s>t</s>");
        const session::Model model = modelOf(b.finish({y}, {"out"}));
        const QString html = page(model, static_cast<int>(model.program.function.nodes.back().id.value));
        for (const char *tag : {"<b>", "<i>", "<u>", "<s>"})
            QVERIFY2(!html.contains(QString::fromLatin1(tag)), tag);
        QVERIFY(words(html).contains(QStringLiteral("<u><b>x</b> & 'y'")));
        QVERIFY(under(html, "Weights").contains(QStringLiteral("<i>w</i>")));
        QVERIFY(under(html, "Gives").contains(QStringLiteral("<s>t</s>")));
        QVERIFY(under(html, "Reads").contains(QStringLiteral("<b>x</b>")));
    }

    void timesOfTheKernel()
    {
        const session::Model model = modelOf(paneNetwork());
        const int id = idOf(model, "MatMul_7");
        const auto step = std::ranges::find_if(model.program.steps, [&](const ProgramStep &each) {
            return static_cast<int>(model.program.function.at(each.node).id.value) == id;
        });
        const Kernel &kernel = model.program.kernels[static_cast<std::size_t>(step->kernel)];
        QVERIFY(words(page(model, id)).contains(QStringLiteral("used by 1 node · 1.28 KFLOP"))
                || words(page(model, id)).contains(QStringLiteral("used by 1 node · 1.28 kFLOP")));
        QVERIFY(!page(model, id).contains(QStringLiteral("ms a call")));
        ModelFacts facts;
        facts.time =
            document::ModelTime{.seconds = {0.01, 0.01, 0.01}, .speedup = {}, .machine = {}, .kernels = {}};
        QVERIFY(!page(model, id, facts).contains(QStringLiteral("ms a call"))); // of no kernel
        facts.time->kernels[kernel.name] = {
            .seconds = 0.0025, .work = {.flops = 5e6, .bytes = 1}, .speedup = {}};
        QVERIFY(words(page(model, id, facts))
                    .contains(QStringLiteral("2.500 ms a call · 2.0 GFLOPS · 25.0 % of the model")));
        facts.time->kernels[kernel.name].seconds = 0;
        QVERIFY(words(page(model, id, facts))
                    .contains(QStringLiteral("0.000 ms a call · 0.0 GFLOPS · 0.0 % of the model")));
    }

    void resultsOfARun()
    {
        const session::Model model = modelOf(paneNetwork());
        const int id = idOf(model, "/net/pool/MaxPool");
        ModelFacts facts;
        facts.isRunning = true;
        QVERIFY(under(page(model, id, facts), "Gives").contains(QStringLiteral("running the model…")));
        QVERIFY(!linksIn(page(model, id, facts)).contains(QStringLiteral("results:")));
        facts.isRunning = false;
        ir::NdArray values(ir::DataType::float32(), {4});
        for (std::int64_t i = 0; i < 4; ++i)
            values.set(i, static_cast<double>(i) - 1); // -1 0 1 2
        facts.results["/net/pool/MaxPool"] = statisticsOf(values);
        const QString html = page(model, id, facts);
        QVERIFY(under(html, "Gives").contains(QStringLiteral("−1 … 2, mean 0.5 ± 1.118, 25.0 % zeros")));
        QVERIFY(linksIn(html).contains(QStringLiteral("save:")));
        QVERIFY(!linksIn(html).contains(QStringLiteral("results:")));
        // Its neighbour's are not known.
        QVERIFY(
            linksIn(page(model, idOf(model, "/net/Flatten"), facts)).contains(QStringLiteral("results:")));
    }

    /// Dashes, until the statistics are there; then the greatest and least of what is finite.
    void weightsWithNaN()
    {
        ir::NdArray weights(ir::DataType::float32(), {4, 2});
        for (std::int64_t i = 0; i < 8; ++i)
            weights.set(i, static_cast<double>(i));
        weights.set(2, std::numeric_limits<double>::quiet_NaN());
        weights.set(3, std::numeric_limits<double>::infinity());
        const session::Model model = oddWeights(weights, "w");
        const int id = idOf(model, "product");
        QCOMPARE(under(page(model, id), "Weights"), QStringLiteral("w\n4×2 f32\n…"));
        ModelFacts facts;
        facts.weights[app::weightsOf(model, id).front().data.get()] = statisticsOf(weights);
        const QString text = under(page(model, id, facts), "Weights");
        QVERIFY2(text.contains(QStringLiteral("0 … 7, mean 3.833 ± ")), qPrintable(text));
        QVERIFY(text.endsWith(QStringLiteral("12.5 % zeros, 2 not finite")));
    }

    /// Of no finite number there is neither a least nor a mean.
    void weightsWithoutNumbers()
    {
        const auto described = [](const ir::NdArray &weights) {
            const session::Model model = oddWeights(weights, "");
            const int id = idOf(model, "product");
            ModelFacts facts;
            facts.weights[app::weightsOf(model, id).front().data.get()] = statisticsOf(weights);
            return under(page(model, id, facts), "Weights").section(u'\n', 1);
        };
        ir::NdArray weights(ir::DataType::float32(), {2, 2}), single(ir::DataType::float32(), {1, 1});
        for (std::int64_t i = 0; i < 4; ++i)
            weights.set(i, std::numeric_limits<double>::quiet_NaN());
        single.set(0, std::numeric_limits<double>::quiet_NaN());
        QCOMPARE(described(weights), QStringLiteral("4 not finite"));
        QCOMPARE(described(single), QStringLiteral("not finite"));
        single.set(0, -3);
        QCOMPARE(described(single), QStringLiteral("−3"));
        QCOMPARE(described(ir::NdArray(ir::DataType::float32(), {4, 0})), QString());
    }

    /// The tallest part is full, one that is not empty is seen.
    void shapesOfDistributions()
    {
        const session::Model model = modelOf(paneNetwork());
        const int id = idOf(model, "MatMul_7");
        TensorStatistics s{.elements = 101, .least = 0, .greatest = 16, .mean = 1, .deviation = 1};
        s.histogram = {100, 1, 0, 50};
        ModelFacts facts;
        facts.weights[app::weightsOf(model, id).front().data.get()] = s;
        const QString text = under(page(model, id, facts), "Weights");
        QVERIFY2(text.contains(QStringLiteral("█▂▁▅") + QString(12, QChar(0x2581))), qPrintable(text));
    }

    void longNames()
    {
        Builder b;
        const std::string name = "scope/" + std::string(2000, 'n');
        const Value x = b.input("x", floats({2, 4}));
        const session::Model model = modelOf(b.finish({b.call("nn.softmax", {x}, {}, name)}, {"out"}));
        QVERIFY(words(page(model, idOf(model, name))).contains(QString::fromStdString(name)));
    }
};

QTEST_MAIN(NodePageTest)
#include "node_page_test.moc"
