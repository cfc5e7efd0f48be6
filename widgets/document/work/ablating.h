// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures, in a job, what each step on the way to a variant brings.
#pragma once

#include "core/explore/judge/ablation.h"
#include "core/session/history/variant_tree.h"

#include <QObject>
#include <QString>

#include <memory>

namespace nestwright::document {

class Document;
class Measuring;

class Ablating : public QObject {
    Q_OBJECT
public:
    /// Programs run with the libraries and inputs that `measuring` has them run with.
    Ablating(Document &document, const Measuring &measuring, QObject *parent = nullptr);
    ~Ablating() override;

    /// Stops the one at work and begins another; ends with `measured` or `failed`.
    void measure(session::VariantId variant, explore::AblationMode mode);
    void cancel();
    bool isRunning() const;
    /// The phase, once it is known: "40 %, timing, round 2 of 5". Ask for it now and then; nobody is told.
    QString phase() const;

Q_SIGNALS:
    /// Emitted when it starts or stops running.
    void changed();
    void measured(const std::shared_ptr<const nestwright::explore::Ablation> &ablation);
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    Document &m_document;
    const Measuring &m_measuring;
};

} // namespace nestwright::document
